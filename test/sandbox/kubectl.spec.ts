import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ApiServer } from '../../src/sandbox/api/api-server.ts';
import { createApiServer } from '../../src/sandbox/api/create-api-server.ts';
import { createKubectl, describeWithKubectl, type Kubectl } from '../fixtures/kubectl.ts';

const ingress = (host: string, extra = '') => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, labels: {app: web}}
spec:
${extra}
  rules:
  - host: ${host}
    http:
      paths:
      - path: /
        pathType: Prefix
        backend: {service: {name: web, port: {number: 80}}}
`;

const service = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: 8080}]
`;

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [color]
            properties:
              color: {type: string, enum: [red, blue], description: Color of the widget.}
              size: {type: integer, minimum: 1, default: 3, description: How big it is.}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
`;

const widget = (spec: string) => `
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {${spec}}
`;

describeWithKubectl('kubectl', () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await createApiServer();
    kubectl = await createKubectl(server.kubeconfig());
  });
  afterAll(async () => {
    await kubectl.close();
    await server.close();
  });

  /** Runs a test in a namespace of its own. */
  const inNamespace = async (name: string, act: (on: (...args: string[]) => string[]) => Promise<void>) => {
    await kubectl.ok(['create', 'namespace', name]);
    await act((...args) => [...args, '-n', name]);
  };

  it('finds the server and its version', async () => {
    expect(await kubectl.ok(['version'])).toMatch(/Server Version: v1\.\d+\.\d+\+haptic-sandbox/);
  });

  it('lists the kinds of the API', async () => {
    const text = await kubectl.ok(['api-resources']);
    expect(text).toMatch(/^ingresses\s+ing\s+networking\.k8s\.io\/v1\s+true\s+Ingress$/m);
    expect(text).toMatch(/^endpointslices\s+discovery\.k8s\.io\/v1\s+true\s+EndpointSlice$/m);
    expect(text).toMatch(/^customresourcedefinitions\s+crd,crds\s+apiextensions\.k8s\.io\/v1\s+false/m);
  });

  it('applies, applies again without a change, and applies an edit', async () => {
    await inNamespace('apply', async (on) => {
      expect(await kubectl.ok(on('apply', '-f', '-'), ingress('a.example.com'))).toContain('web created');
      expect(await kubectl.ok(on('apply', '-f', '-'), ingress('a.example.com'))).toContain('web unchanged');
      expect(await kubectl.ok(on('apply', '-f', '-'), ingress('b.example.com'))).toContain('web configured');
      const host = await kubectl.ok(on('get', 'ingress', 'web', '-o', 'jsonpath={.spec.rules[*].host}'));
      expect(host).toBe('b.example.com');
    });
  });

  it('applies what it has written out, of several objects a List', async () => {
    await inNamespace('written-out', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), `${ingress('a.example.com')}---${service}`);
      const list = await kubectl.ok(on('get', 'ingress,service', '-o', 'yaml'));
      expect(list).toMatch(/^kind: List$/m);
      expect(
        await kubectl.ok(on('apply', '-f', '-'), list.replace('a.example.com', 'b.example.com')),
      ).toMatch(/^ingress.*\/web (?:configured|unchanged)$/m);
      const wrong = await kubectl.run(on('apply', '-f', '-'), list.replace('rules:', 'rulez:'));
      expect(wrong.stderr).toContain('unknown field "spec.rulez"');
    });
  });

  it('merges a list by its key when a port is added to an applied Service', async () => {
    await inNamespace('ports', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), service);
      const second = '{"spec":{"ports":[{"name":"https","port":443,"targetPort":8443}]}}';
      await kubectl.ok(on('patch', 'service', 'web', '-p', second));
      await kubectl.ok(on('apply', '-f', '-'), service.replace('8080', '9090'));
      const ports = await kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[*].targetPort}'));
      expect(ports.split(' ').sort()).toEqual(['8443', '9090']);
    });
  });

  it('refuses an unknown field by name, warns of it when told to, ignores it when told to', async () => {
    await inNamespace('strict', async (on) => {
      const wrong = ingress('a.example.com', '  hostz: x');
      const strict = await kubectl.run(on('apply', '-f', '-'), wrong);
      expect(strict.code).not.toBe(0);
      expect(strict.stderr).toContain('unknown field "spec.hostz"');
      const warned = await kubectl.run(on('apply', '--validate=warn', '-f', '-'), wrong);
      expect(warned.code).toBe(0);
      expect(warned.stderr).toContain('Warning: unknown field "spec.hostz"');
      const ignored = await kubectl.run(on('apply', '--validate=ignore', '-f', '-'), wrong);
      expect(ignored.stderr).not.toContain('unknown field');
    });
  });

  it('names every wrong field of an Ingress', async () => {
    const wrong = ingress('Not_A_Host')
      .replace('path: /', 'path: relative')
      .replace('number: 80', 'number: 0');
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], wrong);
    expect(code).not.toBe(0);
    expect(stderr).toContain('spec.rules[0].host: Invalid value: "Not_A_Host"');
    expect(stderr).toContain(
      'spec.rules[0].http.paths[0].path: Invalid value: "relative": must be an absolute path',
    );
    expect(stderr).toContain('spec.rules[0].http.paths[0].backend.service.port: Required value');
  });

  it('applies on the server side, reports a conflict with its owner, and takes over by force', async () => {
    await inNamespace('ssa', async (on) => {
      const one = on('apply', '--server-side', '--field-manager=one', '-f', '-');
      const two = on('apply', '--server-side', '--field-manager=two', '-f', '-');
      await kubectl.ok(one, ingress('a.example.com'));
      const conflict = await kubectl.run(two, ingress('b.example.com'));
      expect(conflict.code).not.toBe(0);
      expect(conflict.stderr).toContain('conflict with "one": .spec.rules');
      await kubectl.ok([...two, '--force-conflicts'], ingress('b.example.com'));
      const managers = await kubectl.ok(
        on(
          'get',
          'ing',
          'web',
          '--show-managed-fields',
          '-o',
          'jsonpath={range .metadata.managedFields[*]}{.manager}:{.fieldsV1.f:spec} {end}',
        ),
      );
      expect(managers).toContain('two:{"f:rules":{}}');
      expect(managers).not.toContain('one:{"f:rules":{}}');
    });
  });

  it('moves from client-side to server-side apply, after which edits are its own', async () => {
    await inNamespace('migrate', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), service);
      await kubectl.ok(on('apply', '--server-side', '-f', '-'), service);
      await kubectl.ok(on('apply', '--server-side', '-f', '-'), service.replace('8080', '9090'));
      expect(await kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].targetPort}'))).toBe(
        '9090',
      );
    });
  });

  it('creates typed objects, which newer kubectls send as protobuf', async () => {
    await inNamespace('create', async (on) => {
      await kubectl.ok(on('create', 'configmap', 'settings', '--from-literal=a=1', '--from-literal=b=2'));
      await kubectl.ok(on('create', 'secret', 'generic', 'token', '--from-literal=t=secret'));
      await kubectl.ok(on('create', 'service', 'clusterip', 'web', '--tcp=80:8080'));
      await kubectl.ok(on('create', 'deployment', 'web', '--image=web:1', '--replicas=0', '--port=8080'));
      await kubectl.ok(
        on('create', 'ingress', 'web', '--class=haptic', '--rule=a.example.com/path*=web:80,tls=cert'),
      );
      await kubectl.ok(on('create', 'serviceaccount', 'runner'));
      await kubectl.ok(on('create', 'role', 'reader', '--verb=get,list', '--resource=pods'));
      await kubectl.ok(
        on('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=create:runner'),
      );
      await kubectl.ok(on('create', 'job', 'once', '--image=job:1'));
      await kubectl.ok(
        on('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=50%'),
      );
      const get = async (kind: string, path: string) =>
        kubectl.ok(on('get', ...kind.split(' '), '-o', `jsonpath={${path}}`));
      expect(await get('cm settings', '.data')).toBe('{"a":"1","b":"2"}');
      expect(await get('secret token', '.data.t')).toBe(Buffer.from('secret').toString('base64'));
      expect(await get('svc web', '.spec.ports[0].targetPort')).toBe('8080');
      expect(await get('deploy web', '.spec.replicas')).toBe('0');
      expect(await get('deploy web', '.spec.template.spec.containers[0].ports[0].containerPort')).toBe(
        '8080',
      );
      expect(await get('ing web', '.spec')).toBe(
        '{"ingressClassName":"haptic","rules":[{"host":"a.example.com","http":{"paths":[{"backend":{"service":{"name":"web","port":{"number":80}}},"path":"/path","pathType":"Prefix"}]}}],"tls":[{"hosts":["a.example.com"],"secretName":"cert"}]}',
      );
      expect(await get('role reader', '.rules[0].verbs')).toBe('["get","list"]');
      expect(await get('rolebinding reader', '.subjects[0].name')).toBe('runner');
      expect(await get('pdb web', '.spec.minAvailable')).toBe('50%');
    });
  });

  it('scales a Deployment and counts generations', async () => {
    await inNamespace('scale', async (on) => {
      await kubectl.ok(on('create', 'deployment', 'web', '--image=web:1'));
      await kubectl.ok(on('scale', 'deployment/web', '--replicas=5'));
      const text = await kubectl.ok(
        on('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas} {.metadata.generation}'),
      );
      expect(text).toBe('5 2');
      const refused = await kubectl.run(
        on('scale', 'deployment/web', '--current-replicas=9', '--replicas=1'),
      );
      expect(refused.stderr).toMatch(/xpected replicas to be 9, was 5/);
    });
  });

  it('patches in all four ways', async () => {
    await inNamespace('patch', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), service);
      const read = async () =>
        kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[*].name} {.spec.selector.app}'));
      await kubectl.ok(
        on('patch', 'svc', 'web', '--type=strategic', '-p', '{"spec":{"ports":[{"name":"b","port":81}]}}'),
      );
      expect(await read()).toBe('http b web');
      await kubectl.ok(
        on(
          'patch',
          'svc',
          'web',
          '--type=strategic',
          '-p',
          '{"spec":{"ports":[{"port":80,"$patch":"delete"}]}}',
        ),
      );
      expect(await read()).toBe('b web');
      await kubectl.ok(
        on(
          'patch',
          'svc',
          'web',
          '--type=merge',
          '-p',
          '{"spec":{"ports":[{"name":"c","port":82}],"selector":{"app":"other"}}}',
        ),
      );
      expect(await read()).toBe('c other');
      await kubectl.ok(
        on(
          'patch',
          'svc',
          'web',
          '--type=json',
          '-p',
          '[{"op":"test","path":"/spec/selector/app","value":"other"},{"op":"replace","path":"/spec/selector/app","value":"third"}]',
        ),
      );
      expect(await read()).toBe('c third');
      const failed = await kubectl.run(
        on(
          'patch',
          'svc',
          'web',
          '--type=json',
          '-p',
          '[{"op":"test","path":"/spec/selector/app","value":"no"}]',
        ),
      );
      expect(failed.code).not.toBe(0);
    });
  });

  it('takes an edit, and changes nothing by an edit that is invalid', async () => {
    await inNamespace('edit', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), service);
      const target = async () =>
        kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].targetPort}'));
      const editing = async (editor: string) => {
        const own = await createKubectl(server.kubeconfig(), editor);
        try {
          return await own.run(on('edit', 'svc', 'web'));
        } finally {
          await own.close();
        }
      };
      const edited = await editing('sed -i "s/targetPort: 8080/targetPort: 8082/"');
      expect(edited).toMatchObject({ code: 0, stdout: 'service/web edited\n' });
      expect(await target()).toBe('8082');
      expect((await editing('true')).stderr).toContain('Edit cancelled, no changes made');
      const refused = await editing('sed -i "s/port: 80$/port: 99999/"');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('services "web" is invalid');
      expect(await target()).toBe('8082');
    });
  });

  it('patches the status of an Ingress and leaves its spec alone', async () => {
    await inNamespace('status', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), ingress('a.example.com'));
      const patch = '{"status":{"loadBalancer":{"ingress":[{"ip":"127.0.0.9"}]}},"spec":{"rules":[]}}';
      await kubectl.ok(on('patch', 'ing', 'web', '--subresource=status', '--type=merge', '-p', patch));
      const text = await kubectl.ok(
        on('get', 'ing', 'web', '-o', 'jsonpath={.status.loadBalancer.ingress[0].ip} {.spec.rules[0].host}'),
      );
      expect(text).toBe('127.0.0.9 a.example.com');
      expect(await kubectl.ok(on('get', 'ing'))).toMatch(
        /^web\s+<none>\s+a\.example\.com\s+127\.0\.0\.9\s+80\s+\d+s$/m,
      );
    });
  });

  it('labels, annotates and selects by label', async () => {
    await inNamespace('labels', async (on) => {
      for (const name of ['one', 'two', 'three']) await kubectl.ok(on('create', 'configmap', name));
      await kubectl.ok(on('label', 'cm', 'one', 'two', 'tier=front'));
      await kubectl.ok(on('label', 'cm', 'three', 'tier=back'));
      await kubectl.ok(on('annotate', 'cm', 'one', 'note=seen'));
      const names = async (selector: string) =>
        (await kubectl.ok(on('get', 'cm', '-l', selector, '-o', 'name'))).trim().split('\n');
      expect(await names('tier=front')).toEqual(['configmap/one', 'configmap/two']);
      expect(await names('tier in (front,back),tier!=front')).toEqual(['configmap/three']);
      expect(await names('tier notin (front)')).toEqual(['configmap/three']);
      expect(await kubectl.ok(on('get', 'cm', 'one', '-o', 'jsonpath={.metadata.annotations.note}'))).toBe(
        'seen',
      );
    });
  });

  it('deletes and waits until finalizers are done', async () => {
    await inNamespace('delete', async (on) => {
      const held = service.replace('{name: web}', '{name: web, finalizers: [example.com/hold]}');
      await kubectl.ok(on('apply', '-f', '-'), held);
      const waiting = kubectl.run(on('delete', 'svc', 'web', '--wait=true', '--timeout=60s'));
      await vi.waitFor(
        async () => {
          expect(
            await kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.metadata.deletionTimestamp}')),
          ).not.toBe('');
        },
        { timeout: 30_000, interval: 100 },
      );
      await kubectl.ok(
        on('patch', 'svc', 'web', '--type=json', '-p', '[{"op":"remove","path":"/metadata/finalizers"}]'),
      );
      expect((await waiting).code).toBe(0);
      expect((await kubectl.run(on('get', 'svc', 'web'))).stderr).toContain('services "web" not found');
    });
  });

  it('deletes a namespace with its content', async () => {
    await kubectl.ok(['create', 'namespace', 'gone']);
    await kubectl.ok(['apply', '-n', 'gone', '-f', '-'], service);
    await kubectl.ok(['delete', 'namespace', 'gone', '--timeout=60s']);
    expect((await kubectl.run(['get', 'namespace', 'gone'])).stderr).toContain('namespaces "gone" not found');
    expect((await kubectl.run(['get', 'svc', 'web', '-n', 'gone'])).stderr).toContain('not found');
  });

  it('follows changes with get -w', async () => {
    await inNamespace('watch', async (on) => {
      await kubectl.ok(on('create', 'deployment', 'web', '--image=web:1', '--replicas=1'));
      const watch = kubectl.start(on('get', 'deployment', '-w'));
      let seen = '';
      watch.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      await vi.waitFor(() => expect(seen).toMatch(/web\s+0\/1/), { timeout: 30_000 });
      await firstValueFrom(
        server.client.patch(
          'apps/v1/deployments',
          { namespace: 'watch', name: 'web' },
          { spec: { replicas: 4 } },
        ),
      );
      await vi.waitFor(() => expect(seen).toMatch(/web\s+0\/4/), { timeout: 30_000 });
      watch.kill();
    });
  });

  it('shows pods, endpoints and events as a cluster does', async () => {
    await inNamespace('tables', async (on) => {
      const meta = (name: string) => ({ name, namespace: 'tables' });
      await firstValueFrom(
        server.client.createMany([
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: meta('echo-1'),
            spec: { nodeName: 'sandbox', containers: [{ name: 'echo', image: 'echo' }] },
            status: {
              phase: 'Running',
              podIP: '127.1.0.1',
              containerStatuses: [{ name: 'echo', ready: true, restartCount: 2, state: { running: {} } }],
            },
          },
          {
            apiVersion: 'discovery.k8s.io/v1',
            kind: 'EndpointSlice',
            metadata: { ...meta('echo-abc'), labels: { 'kubernetes.io/service-name': 'echo' } },
            addressType: 'IPv4',
            ports: [{ name: 'http', port: 8080 }],
            endpoints: ['127.1.0.1', '127.1.0.2', '127.1.0.3', '127.1.0.4'].map((address) => ({
              addresses: [address],
            })),
          },
          {
            apiVersion: 'events.k8s.io/v1',
            kind: 'Event',
            metadata: meta('echo-1.1'),
            eventTime: '2030-01-01T00:00:00.000000Z',
            type: 'Warning',
            reason: 'BackendMissing',
            action: 'Render',
            note: 'service web is missing',
            reportingController: 'haptic',
            reportingInstance: 'haptic-0',
            regarding: { kind: 'Ingress', namespace: 'tables', name: 'web' },
          },
        ]),
      );
      expect(await kubectl.ok(on('get', 'pods'))).toMatch(/^echo-1\s+1\/1\s+Running\s+2\s+\d+s$/m);
      expect(await kubectl.ok(on('get', 'pods', '-o', 'wide'))).toMatch(/127\.1\.0\.1\s+sandbox/);
      expect(await kubectl.ok(['get', 'pods', '-A'])).toMatch(
        /^NAMESPACE\s+NAME\s+READY[\s\S]*^tables\s+echo-1/m,
      );
      expect(await kubectl.ok(on('get', 'endpointslices'))).toMatch(
        /^echo-abc\s+IPv4\s+8080\s+127\.1\.0\.1,127\.1\.0\.2,127\.1\.0\.3 \+ 1 more\.\.\.\s/m,
      );
      expect(await kubectl.ok(on('get', 'events'))).toMatch(
        /Warning\s+BackendMissing\s+ingress\/web\s+service web is missing/,
      );
      expect(
        await kubectl.ok(on('get', 'pods', '--field-selector', 'spec.nodeName=elsewhere', '-o', 'name')),
      ).toBe('');
      expect(
        await kubectl.ok(on('get', 'pods', '--field-selector', 'status.phase=Running', '-o', 'name')),
      ).toBe('pod/echo-1\n');
      expect(await kubectl.ok(on('describe', 'pod', 'echo-1'))).toMatch(/IP:\s+127\.1\.0\.1/);
    });
  });

  it('describes an Ingress with its events', async () => {
    await inNamespace('describe', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), service);
      await kubectl.ok(on('apply', '-f', '-'), ingress('a.example.com'));
      const uid = await kubectl.ok(on('get', 'ing', 'web', '-o', 'jsonpath={.metadata.uid}'));
      await firstValueFrom(
        server.client.create({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'web.1', namespace: 'describe' },
          type: 'Normal',
          reason: 'Served',
          message: 'the route is served',
          involvedObject: { kind: 'Ingress', namespace: 'describe', name: 'web', uid },
        }),
      );
      const text = await kubectl.ok(on('describe', 'ingress', 'web'));
      expect(text).toMatch(/a\.example\.com\s+\n\s+\/\s+web:80/);
      expect(text).toContain('the route is served');
    });
  });

  it('explains built-in kinds with fields and types', async () => {
    const rules = await kubectl.ok(['explain', 'ingress.spec.rules']);
    expect(rules).toContain('FIELD: rules <[]IngressRule>');
    expect(rules).toMatch(/^ {2}host\t<string>/m);
    expect(rules).toMatch(/^ {2}http\t<HTTPIngressRuleValue>/m);
    const path = await kubectl.ok(['explain', 'ingress.spec.rules.http.paths']);
    expect(path).toMatch(/^ {2}pathType\t<string> -required-/m);
    const probe = await kubectl.ok([
      'explain',
      'deployment.spec.template.spec.containers.readinessProbe.httpGet',
    ]);
    expect(probe).toMatch(/^ {2}port\t<IntOrString> -required-/m);
    expect(await kubectl.ok(['explain', 'endpointslice.endpoints.conditions.ready'])).toContain(
      'FIELD: ready <boolean>',
    );
  });

  it('serves a registered kind in full: columns, defaults, validation, explain, scale', async () => {
    await kubectl.ok(['apply', '-f', '-'], widgets);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=30s']);
    await inNamespace('custom', async (on) => {
      await kubectl.ok(on('apply', '-f', '-'), widget('color: red'));
      expect(await kubectl.ok(on('get', 'wd', 'a', '-o', 'jsonpath={.spec.size}'))).toBe('3');
      await kubectl.ok(
        on(
          'patch',
          'wd',
          'a',
          '--subresource=status',
          '--type=merge',
          '-p',
          '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
        ),
      );
      expect(await kubectl.ok(on('get', 'wd'))).toMatch(/^NAME\s+SIZE\s+READY\s*\na\s+3\s+True\s*$/m);
      const wrong = await kubectl.run(on('apply', '-f', '-'), widget('color: green, size: 0'));
      expect(wrong.stderr).toContain(
        'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      );
      expect(wrong.stderr).toContain('spec.size in body should be greater than or equal to 1');
      const unknown = await kubectl.run(on('apply', '-f', '-'), widget('color: red, colour: blue'));
      expect(unknown.stderr).toContain('unknown field "spec.colour"');
      const explained = await kubectl.ok(['explain', 'widget.spec']);
      expect(explained).toMatch(
        /^ {2}color\t<string> -required-\n {2}enum: red, blue\n {4}Color of the widget\./m,
      );
      expect(explained).toMatch(/^ {2}size\t<integer>\n {4}How big it is\./m);
      await kubectl.ok(on('scale', 'wd/a', '--replicas=7'));
      expect(await kubectl.ok(on('get', 'wd', 'a', '-o', 'jsonpath={.spec.size}'))).toBe('7');
      await kubectl.ok(on('apply', '--server-side', '--force-conflicts', '-f', '-'), widget('color: blue'));
      expect(await kubectl.ok(on('get', 'wd', 'a', '-o', 'jsonpath={.spec.color}'))).toBe('blue');
    });
    await kubectl.ok(['delete', 'crd', 'widgets.example.com']);
    expect((await kubectl.run(['get', 'widgets', '-A'])).code).not.toBe(0);
  });

  it('runs dry without leaving anything', async () => {
    await inNamespace('dry', async (on) => {
      expect(await kubectl.ok(on('apply', '--dry-run=server', '-f', '-'), service)).toContain(
        'created (server dry run)',
      );
      expect((await kubectl.run(on('get', 'svc', 'web'))).code).not.toBe(0);
      await kubectl.ok(on('apply', '-f', '-'), service);
      const diff = await kubectl.run(on('diff', '-f', '-'), service.replace('8080', '9090'));
      expect(diff.code).toBe(1);
      expect(diff.stdout).toMatch(/^\+\s+targetPort: 9090$/m);
    });
  });

  it('replaces an object, and refuses to when it has changed meanwhile', async () => {
    await inNamespace('replace', async (on) => {
      await kubectl.ok(on('create', '-f', '-'), service);
      const old = await kubectl.ok(on('get', 'svc', 'web', '-o', 'yaml'));
      await kubectl.ok(on('replace', '-f', '-'), old.replace('targetPort: 8080', 'targetPort: 8081'));
      const stale = await kubectl.run(
        on('replace', '-f', '-'),
        old.replace('targetPort: 8080', 'targetPort: 8082'),
      );
      expect(stale.stderr).toContain('the object has been modified');
      expect(await kubectl.ok(on('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].targetPort}'))).toBe(
        '8081',
      );
    });
  });

  it('says that everything is allowed', async () => {
    expect(await kubectl.ok(['auth', 'can-i', 'delete', 'pods', '-n', 'kube-system'])).toBe('yes\n');
    expect(await kubectl.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      'sandbox-admin',
    );
  });
});
