import { agentCommands } from './agent-command.ts';
import { applyCrdsCommand } from './apply-crds-command.ts';
import { benchmarkCommand } from './benchmark-command.ts';
import { certificatesCommand } from './certificates-command.ts';
import type { CliCommand } from './cli-command.ts';
import { completionCommand } from './completion-command.ts';
import { configViewCommand } from './config-view-command.ts';
import { diffCommand } from './diff-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { graphCommand } from './graph-command.ts';
import { preflightCommand } from './preflight-command.ts';
import { replayCommand } from './replay-command.ts';
import { runCommand } from './run-command.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { tapCommand } from './tap-command.ts';
import { validateCommand } from './validate-command.ts';
import { versionCommand } from './version-command.ts';

/** Every command, in the order of the help. */
export const cliCommands: readonly CliCommand[] = [
  runCommand,
  validateCommand,
  benchmarkCommand,
  ...agentCommands,
  certificatesCommand,
  diffCommand,
  preflightCommand,
  doctorCommand,
  configViewCommand,
  applyCrdsCommand,
  tapCommand,
  replayCommand,
  graphCommand,
  sandboxCommand,
  versionCommand,
  completionCommand,
];
