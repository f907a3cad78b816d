import v8 from 'node:v8';

/**
 * For the controller: the old generation grows by 30 % of what is alive before it is collected, where V8 lets it grow to a multiple and keeps
 * the pages. What a controller holds, objects and text, lives long and is marked by helper threads; what goes is hardly ever compacted else.
 * By the second flag collections compact and give pages back, and those that V8 has for a process at rest are done: it reckons how busy a process is by
 * its collections, so that it takes one that has none any more for as busy as it was while it started.
 */
export function growHeapSlowly(): void {
  for (const flag of ['--heap-growing-percent=30', '--memory-saver-mode']) v8.setFlagsFromString(flag);
}
