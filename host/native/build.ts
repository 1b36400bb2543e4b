/** Builds the mount helper: `node host/native/build.ts` writes gen/mount-helper.ts; with `--check` it compares instead (where the compilers exist). */
import { buildStatic, type StaticProgram } from './static-program.ts';

export const MOUNT_HELPER: StaticProgram = { dir: import.meta.dirname, source: 'mount-helper.c' };

if (import.meta.main) buildStatic(MOUNT_HELPER, process.argv);
