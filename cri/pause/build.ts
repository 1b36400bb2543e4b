/** Builds the pause helper: `node cri/pause/build.ts` writes gen/pause.ts; with `--check` it compares instead (where the compilers exist). */
import { buildStatic, type StaticProgram } from '../../host/native/static-program.ts';

export const PAUSE: StaticProgram = { dir: import.meta.dirname, source: 'pause.c' };

if (import.meta.main) buildStatic(PAUSE, process.argv);
