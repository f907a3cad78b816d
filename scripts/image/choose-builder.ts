import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runCommand } from '../run-command.ts';

/** Something that makes images of Dockerfiles. Rejects with how the build ended. */
export interface ImageBuilder {
  readonly kind: 'docker' | 'podman' | 'buildah' | 'cluster tools';
  build(tag: string, context: string, buildArgs: Readonly<Record<string, string>>): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The cluster tools where they are (`$HAPTIC_CLUSTER_TOOLS/node/image`, since a cluster of theirs finds the image then), else the first of docker,
 * podman and buildah that answers; undefined where none does.
 */
export function chooseBuilder(env: Environment, answers = answersHere): ImageBuilder | undefined {
  const tools = env['HAPTIC_CLUSTER_TOOLS'] ?? '';
  if (tools !== '') {
    const image = path.join(tools, 'node', 'image');
    return {
      kind: 'cluster tools',
      build: (tag, context, args) => run(image, ['bud', tag, context, ...flags(args)]),
    };
  }
  for (const kind of ['docker', 'podman', 'buildah'] as const) {
    if (!answers(kind)) continue;
    return { kind, build: (tag, context, args) => run(kind, ['build', '-t', tag, ...flags(args), context]) };
  }
  return undefined;
}

function answersHere(program: string): boolean {
  return spawnSync(program, ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function flags(buildArgs: Readonly<Record<string, string>>): string[] {
  return Object.entries(buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/** What a build prints goes to stderr: stdout belongs to the caller. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const end = await runCommand(command, args, process.env, 2);
  if (end.code !== 0) throw new Error(`${command} ${args.join(' ')}: ${end.reason}`);
}
