/**
 * Flags that this program is started with, also by itself. Node lets the young generation grow with the machine, to 128 MiB
 * of resident memory on a large one; objects that live as long as Kubernetes' do gain nothing from it. The flag must be on
 * the command line: at run time it comes too late.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];
