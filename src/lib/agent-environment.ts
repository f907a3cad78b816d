/**
 * Environment that an agent is started with: glibc otherwise keeps a heap for each of Node's threads, and what a large apply leaves in each of
 * them is 2 MiB of resident memory in every pod. It is read before the program's first line: at run time it comes too late.
 */
export const agentEnvironment = { MALLOC_ARENA_MAX: '1' } as const;
