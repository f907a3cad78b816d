import { afterEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type AdmissionScene, createAdmissionScene } from '../fixtures/admission-scene.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { service } from '../fixtures/kube-objects.ts';

const scenes: AdmissionScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.dispose();
});

/** Prints the value of a Secret where HAProxy takes the name of a backend. */
const template = `
global
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
backend plain
frontend always
    bind 127.0.0.1:18081
{{#forEach resources.services as |s|}}
{{#each (list "secrets") as |secret|}}
frontend of_{{s.metadata.name}}_{{secret.metadata.name}}
    bind 127.0.0.1:18080
    default_backend {{base64Decode secret.data.value}}
{{/each}}
{{/forEach}}
`;
const canary = 'canary-webhook-7f41';
const secretOf = (value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'user', namespace: 'shop' },
  data: { value: Buffer.from(value).toString('base64') },
});

describeEachLine('what the webhook answers', (line) => {
  const open = async (): Promise<AdmissionScene> => {
    const scene = await createAdmissionScene({
      own: {
        haproxyConfig: { template },
        watchedResources: { secrets: { apiVersion: 'v1', resources: 'secrets' } },
      },
      haproxy: line.path,
    });
    scenes.push(scene);
    return scene;
  };

  it('has no value of a Secret that is there', async () => {
    const scene = await open();
    scene.put(secretOf(canary));
    scene.accept();
    const answer = await scene.create(service());
    expect(answer).toMatchObject({ kind: 'denied' });
    expect(JSON.stringify(answer)).toContain("default_backend: '[redacted]'");
    expect(JSON.stringify(answer)).not.toContain(canary);
  });

  it('has none of the Secret that it is asked about', async () => {
    const scene = await open();
    scene.put(service(), secretOf('plain'));
    scene.accept();
    const answer = await scene.update(secretOf(canary));
    expect(answer).toMatchObject({ kind: 'denied' });
    expect(JSON.stringify(answer)).toContain("default_backend: '[redacted]'");
    expect(JSON.stringify(answer)).not.toContain(canary);
  });
});
