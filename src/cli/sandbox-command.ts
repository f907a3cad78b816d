import { type CliOptions, defineCommand } from './cli-command.ts';

export const sandboxOptions = {
  dir: { value: 'DIR', summary: 'the same as a DIR', repeat: true },
  'http-port': {
    value: 'PORT',
    summary: 'where HAProxy serves HTTP on 127.0.0.1',
    otherwise: 'a free port',
  },
  'https-port': {
    value: 'PORT',
    summary: 'where HAProxy serves HTTPS on 127.0.0.1',
    otherwise: 'a free port',
  },
  'api-port': {
    value: 'PORT',
    summary: 'where the Kubernetes API listens on 127.0.0.1',
    otherwise: 'a free port',
  },
  haproxy: { value: 'PATH', summary: 'the HAProxy to run', otherwise: 'the newest found' },
  controllers: {
    value: 'N',
    summary: 'so many controllers, which elect a leader',
    otherwise: 'one, which needs no election',
  },
  'no-sample': { summary: 'without the sample Deployment, Service and Ingress' },
  'no-webhook': { summary: 'lets every object in: the controller is not asked' },
  once: { summary: 'checks the sample, scales it, tells what was found and ends: exit code 0 or 1' },
} as const satisfies CliOptions;

export const sandboxCommand = defineCommand({
  name: 'sandbox',
  summary: 'everything on this machine: a Kubernetes API, a HAProxy with its agent, sample backends',
  description:
    'HAPTIC without a cluster: a Kubernetes API for kubectl, a real HAProxy with its agent, the controller, and a sample. The manifests ' +
    'in each DIR are applied, and their edits followed. Ends with Ctrl-C and leaves nothing.',
  words: [{ name: 'DIR', summary: 'folders of manifests', optional: true, repeat: true }],
  options: sandboxOptions,
  examples: [
    { what: 'Play', line: 'haptic sandbox' },
    { what: 'Follow a folder of manifests', line: 'haptic sandbox ./manifests --http-port 8080' },
    { what: 'Two controllers, of which one leads', line: 'haptic sandbox --controllers 2' },
    { what: 'Whether all of it works here', line: 'haptic sandbox --once' },
  ],
  streams: true,
  load: async () => (await import('./sandbox.ts')).runSandbox,
});
