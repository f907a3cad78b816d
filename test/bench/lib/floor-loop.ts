import net from 'node:net';
import { loadKubeConfig } from '../../../src/kube/kube-config.ts';
import { kubeTransport } from '../../../src/kube/kube-transport.ts';

interface FloorObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
  readonly spec?: { readonly rules: readonly { readonly host: string }[] };
  readonly ports?: readonly { readonly port: number }[];
  readonly endpoints?: readonly { readonly addresses: readonly [string] }[];
}

export const floorLabel = 'bench.haptic/floor';

/** Watches objects with the floor's label and writes what they say straight to HAProxy's socket: no model, no files, no checks. */
export async function runFloorLoop(options: { kubeconfigPath: string; socketPath: string }): Promise<void> {
  const transport = kubeTransport(loadKubeConfig({ kubeconfigPath: options.kubeconfigPath }));
  const slices = new Map<string, FloorObject>();
  const server = (name: string, slice: FloorObject): string => {
    const address = slice.endpoints?.[0]?.addresses[0] ?? '';
    return `${name}/${address} ${address}:${slice.ports?.[0]?.port}`;
  };
  const write = (line: string): void => {
    const connection = net.connect(options.socketPath);
    connection.on('error', (error) => process.stderr.write(`floor: ${error.message}\n`));
    connection.resume();
    connection.end(`${line}\n`);
  };
  const backendName = ({ metadata }: FloorObject): string => `${metadata.namespace}_${metadata.name}_80`;

  const onIngress = (ingress: FloorObject): void => {
    const name = backendName(ingress);
    const slice = slices.get(ingress.metadata.name);
    const host = ingress.spec?.rules[0]?.host ?? '';
    if (slice === undefined) return;
    const added = server(name, slice);
    write(
      [
        `add backend ${name} from haptic-http mode http`,
        `add server ${added} weight 100`,
        `enable server ${added.split(' ')[0]}`,
        `publish backend ${name}`,
        `add map maps/path.map ${host}/ ${name}`,
        `add map maps/host.map ${host} ${host}`,
      ].join('; '),
    );
  };
  const onSlice = (slice: FloorObject): void => {
    const former = slices.get(slice.metadata.name);
    slices.set(slice.metadata.name, slice);
    if (former === undefined) return;
    const name = backendName(slice);
    const added = server(name, slice);
    const removed = server(name, former).split(' ')[0];
    write(
      [
        `add server ${added} weight 100`,
        `enable server ${added.split(' ')[0]}`,
        `disable server ${removed}`,
      ].join('; '),
    );
  };

  await Promise.all([
    watch('/apis/networking.k8s.io/v1/ingresses', onIngress),
    watch('/apis/discovery.k8s.io/v1/endpointslices', onSlice),
  ]);

  async function watch(url: string, handle: (object: FloorObject) => void): Promise<void> {
    const query = {
      watch: 1,
      labelSelector: floorLabel,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    };
    const result = await transport.request({ path: url, query, bodyTimeout: 3_600_000 });
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    let rest = '';
    process.send?.('watching');
    for await (const chunk of result.value.body) {
      const lines = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: FloorObject };
        if (event.type === 'ADDED' || event.type === 'MODIFIED') handle(event.object);
      }
    }
  }
}
