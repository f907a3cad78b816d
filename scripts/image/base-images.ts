import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../run-command.ts';
import type { ImageBuilder } from './choose-builder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The line of HAProxy that the image holds where nothing else is asked for: the newest. */
const haproxyLine = '3.4';

/**
 * Build arguments of the Dockerfile: what NODE_IMAGE and HAPROXY_IMAGE name. Cluster tools have no registry to pull the Dockerfile's own bases from, so
 * there they are made first: Node by the tools, HAProxy of `$HAPTIC_HAPROXY_DIR/<line>` (a program beside its libraries) in their Debian.
 */
export async function baseImages(builder: ImageBuilder, env: Environment): Promise<Record<string, string>> {
  const given = Object.fromEntries(
    ['NODE_IMAGE', 'HAPROXY_IMAGE'].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  if (builder.kind !== 'cluster tools') return given;
  const bases: Record<string, string> = { NODE_IMAGE: 'localhost/node:24', ...given };
  const end = await runCommand(
    path.join(env['HAPTIC_CLUSTER_TOOLS'] ?? '', 'node', 'image'),
    ['node'],
    process.env,
    2,
  );
  if (end.code !== 0) throw new Error(`the base image of Node: ${end.reason}`);
  bases['HAPROXY_IMAGE'] ??= await haproxyImage(builder, env);
  return bases;
}

async function haproxyImage(builder: ImageBuilder, env: Environment): Promise<string> {
  const from = path.join(env['HAPTIC_HAPROXY_DIR'] ?? '.haptic/haproxy', haproxyLine);
  const context = await mkdtemp(path.join(tmpdir(), 'haptic-haproxy-image-'));
  const home = '/opt/haproxy';
  try {
    await cp(from, path.join(context, 'haproxy'), { recursive: true, verbatimSymlinks: true });
    const loader = path.join(home, 'lib', 'ld-linux-x86-64.so.2');
    const program = path.join(context, 'haproxy', 'haproxy');
    execFileSync('patchelf', [
      '--set-interpreter',
      loader,
      '--force-rpath',
      '--set-rpath',
      `${home}/lib`,
      program,
    ]);
    const steps = [
      'FROM localhost/base:bookworm',
      `COPY haproxy ${home}`,
      `RUN ln -s ${home}/haproxy /usr/local/sbin/haproxy && haproxy -v`,
    ];
    await writeFile(path.join(context, 'Dockerfile'), `${steps.join('\n')}\n`);
    const tag = `localhost/haproxy:${haproxyLine}`;
    await builder.build(tag, context, {});
    return tag;
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}
