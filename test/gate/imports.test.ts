import { join } from 'node:path';
import test from 'ava';
import { tooLong } from './file-length.ts';
import { clockViolations, cycles, importsOf, sourceFiles, violations } from './imports.ts';

const root = join(import.meta.dirname, '..', '..');
const files = sourceFiles(root);

test('the reader sees every form of import', (t) => {
	const text = `import a from './a.ts';\nimport type { B } from "../b.ts";\nimport './c.ts';\nexport { d } from './d.ts';\nconst e = await import('./e.ts');\nimport {\n\tf,\n} from './f.ts';\nimport g from 'g';`;
	t.deepEqual(importsOf('x/y.ts', text), {
		path: 'x/y.ts',
		imports: ['x/a.ts', 'b.ts', 'x/c.ts', 'x/d.ts', 'x/e.ts', 'x/f.ts'],
		packages: ['g'],
	});
});

test('boundaries: a forbidden import and a cycle are found', (t) => {
	const at = (path: string, ...imports: readonly string[]) => ({ path, imports, packages: [] });
	t.is(violations([at('base/a.ts', 'api/b.ts')]).length, 1);
	t.is(violations([at('agent/a.ts', 'cri/b.ts')]).length, 1);
	t.is(violations([at('controlplane/controllers/a.ts', 'controlplane/storage/b.ts')]).length, 1);
	t.is(violations([at('cluster/a.ts', 'cri/b.ts')]).length, 0);
	t.deepEqual(cycles([at('a', 'b'), at('b', 'c'), at('c', 'b')]), ['b -> c -> b']);
});

test('the repository keeps its boundaries', (t) => t.deepEqual(violations(files), []));
test('the repository has no import cycle', (t) => t.deepEqual(cycles(files), []));
test('time and chance come from the Clock', (t) => t.deepEqual(clockViolations(files, root), []));
test('no file does two things', (t) => t.deepEqual(tooLong(files, root), []));
