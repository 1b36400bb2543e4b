/** The import boundaries of the design, as data, and a reader of every file's imports. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { execFileSync } from 'node:child_process';

/** Which top-level folders a folder may import from. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
	base: [],
	api: ['base'],
	wire: ['base'],
	host: ['base'],
	client: ['base', 'api', 'wire'],
	cri: ['base', 'wire', 'host'],
	csi: ['base', 'wire', 'host', 'api', 'client'],
	agent: ['base', 'api', 'wire', 'host', 'client'],
	network: ['base', 'api', 'wire', 'host', 'client'],
	controlplane: ['base', 'api', 'wire', 'client'],
	cluster: ['base', 'api', 'wire', 'host', 'client', 'cri', 'csi', 'agent', 'network', 'controlplane'],
	cli: ['cluster', 'base', 'api', 'client'],
};

/** Folders below controlplane/ that must not know the server's inside. */
const OUTSIDE_APISERVER = ['controlplane/scheduler/', 'controlplane/controllers/', 'controlplane/metrics/'];
const APISERVER = ['controlplane/apiserver/', 'controlplane/storage/'];

export interface SourceFile {
	readonly path: string;
	/** Repository-relative paths of the files of ours that it imports, type imports included. */
	readonly imports: readonly string[];
	/** Modules that are not ours. */
	readonly packages: readonly string[];
}

const IMPORT = /^\s*(?:import|export)\s[^'";]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** The imports of one source text. Pure. */
export function importsOf(path: string, text: string): SourceFile {
	const imports: string[] = [];
	const packages: string[] = [];
	for (const match of text.matchAll(IMPORT)) {
		const target = match[1] ?? match[2] ?? match[3] ?? '';
		if (target.startsWith('.')) imports.push(normalize(join(dirname(path), target)));
		else packages.push(target);
	}
	return { path, imports, packages };
}

/** Every TypeScript file that git knows of or does not ignore. */
export function sourceFiles(root: string): readonly SourceFile[] {
	const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: root, encoding: 'utf8' });
	const files: SourceFile[] = [];
	for (const path of listed.split('\n').filter(Boolean)) {
		try {
			files.push(importsOf(path, readFileSync(join(root, path), 'utf8')));
		} catch {
			// deleted in the work tree
		}
	}
	return files;
}

/** Violations of the boundaries, one line each. Pure. */
export function violations(files: readonly SourceFile[]): readonly string[] {
	const found: string[] = [];
	for (const file of files) {
		const folder = file.path.split('/')[0] ?? '';
		const allowed = ALLOWED[folder];
		if (allowed === undefined || file.path.endsWith('.test.ts')) continue;
		for (const target of file.imports) {
			const to = target.split('/')[0] ?? '';
			if (to !== folder && target.includes('/') && !allowed.includes(to))
				found.push(`${file.path} imports ${target}: ${folder}/ may import ${allowed.join(', ') || 'nothing of ours'}`);
			if (OUTSIDE_APISERVER.some((p) => file.path.startsWith(p)) && APISERVER.some((p) => target.startsWith(p)))
				found.push(`${file.path} imports ${target}: it knows the API only through client/`);
			if (target.endsWith('.test.ts')) found.push(`${file.path} imports the test ${target}`);
		}
	}
	return found;
}

/** Import cycles among our files, each as a path that ends where it starts. Pure. */
export function cycles(files: readonly SourceFile[]): readonly string[] {
	const byPath = new Map(files.map((f) => [f.path, f]));
	const state = new Map<string, 'open' | 'done'>();
	const found: string[] = [];
	const visit = (path: string, trail: readonly string[]): void => {
		if (state.get(path) === 'done') return;
		if (state.get(path) === 'open') {
			found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
			return;
		}
		state.set(path, 'open');
		for (const next of byPath.get(path)?.imports ?? []) if (byPath.has(next)) visit(next, [...trail, path]);
		state.set(path, 'done');
	};
	for (const file of files) visit(file.path, []);
	return found;
}

/** Uses of time or chance outside base/: everything takes the Clock. */
export function clockViolations(files: readonly SourceFile[], root: string): readonly string[] {
	const forbidden =
		/\b(Date\.now\(|performance\.now\(|process\.hrtime|(?<![.\w])setTimeout\(|(?<![.\w])setInterval\(|AbortSignal\.timeout\(|Math\.random\(|randomUUID\(|new Date\(\)|randomInt\(|timers\/promises)/;
	const found: string[] = [];
	for (const { path } of files) {
		const folder = path.split('/')[0] ?? '';
		if (
			ALLOWED[folder] === undefined ||
			folder === 'base' ||
			path.endsWith('.test.ts') ||
			path.includes('/gen/') ||
			path.includes('/generate')
		)
			continue;
		const lines = readFileSync(join(root, path), 'utf8').split('\n');
		for (const [i, line] of lines.entries()) {
			const match = forbidden.exec(line.replace(/^\s*(\*|\/\/|\/\*).*/, ''));
			if (match !== null) found.push(`${relative('.', path)}:${i + 1} uses ${match[1]?.replace('(', '')}; take the Clock`);
		}
	}
	return found;
}
