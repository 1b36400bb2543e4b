/** What the documentation names exists: links, `npm run` scripts, verbs and flags of the command, files that commands run; and every top-level folder has its README. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { createProgram } from '../../cli/program.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = globSync('**/*.md', { cwd: root, exclude: (name) => ['node_modules', '.cache', 'dist', '.git'].includes(name) });
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
const program = createProgram();

/** Texts that stand as code in a page: fenced lines and inline spans. */
function codeOf(text: string): readonly string[] {
	const fenced = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, body = '']) => body.split('\n'));
	const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, body = '']) => body.replaceAll('\n', ' '));
	return [...fenced, ...inline].map((line) => line.replace(/ +#.*$/, ''));
}

/** What is wrong with one command, as far as this repository can know. A folder's README may name files from its own folder. */
function faultsOf(code: string, folder = ''): readonly string[] {
	return code.split(/&&|\|\||;/).flatMap((part) => {
		const words = part.trim().split(/\s+/);
		const [first = '', second = ''] = words;
		if (first === 'npm' && second === 'run') return scriptFaults(words.slice(2));
		if (first === 'npm' && second === 'start') return commandFaults(['up', ...words.slice(2).filter((w) => w !== '--')], part);
		if (first === 'kubeling') return commandFaults(words.slice(1), part);
		if (first === 'npx' && second === 'kubeling') return commandFaults(words.slice(2), part);
		const file = words.find((word) => /^[a-z]+\/[\w/.-]+\.(ts|js)$/.test(word));
		return file === undefined || existsSync(join(root, file)) || existsSync(join(root, folder, file))
			? []
			: [`${part.trim()}: no file ${file}`];
	});
}

function scriptFaults(words: readonly string[]): readonly string[] {
	const [name = '', ...rest] = words.filter((word) => !['-s', '--', '…'].includes(word));
	if (!Object.hasOwn(scripts, name)) return name === '' ? [] : [`npm run ${name} is not a script`];
	return name === 'kubeling' ? commandFaults(rest, words.join(' ')) : [];
}

function commandFaults([verb = '', ...words]: readonly string[], whole: string): readonly string[] {
	if (!/^[a-z][a-z-]*$/.test(verb)) return [];
	const outer = program.commands.find((one) => one.name() === verb);
	if (outer === undefined) return [`${whole.trim()}: no verb ${verb}`];
	const command = outer.commands.find((one) => one.name() === words[0]) ?? outer;
	const known = new Set([...command.options.flatMap(({ long, short }) => [long, short]), '--help', '-h']);
	return words.filter((word) => /^--?[a-z]/.test(word) && !known.has(word)).map((flag) => `${whole.trim()}: no flag ${flag}`);
}

test('the check finds what does not exist', (t) => {
	t.deepEqual(faultsOf('npm run nonesuch'), ['npm run nonesuch is not a script']);
	t.deepEqual(faultsOf('npm install && npm run -s kubeling -- up --nonesuch'), ['-s kubeling -- up --nonesuch: no flag --nonesuch']);
	t.deepEqual(faultsOf('kubeling nonesuch'), ['kubeling nonesuch: no verb nonesuch']);
	t.deepEqual(faultsOf('node examples/none.ts'), ['node examples/none.ts: no file examples/none.ts']);
	t.deepEqual(faultsOf('npm start -- --port 0; kubeling logs -f'), []);
});

test('commands and flags that the documentation names exist', (t) => {
	t.deepEqual(
		pages.flatMap((page) => codeOf(textOf(page)).flatMap((code) => faultsOf(code, dirname(page)).map((fault) => `${page}: ${fault}`))),
		[],
	);
});

test('every flag of `kubeling up` is in docs/parts.md, every verb in the README', (t) => {
	const [parts, readme] = [textOf('docs/parts.md'), textOf('README.md')];
	const flags = program.commands.find((command) => command.name() === 'up')?.options.map(({ long }) => long ?? '') ?? [];
	t.deepEqual(
		flags.filter((flag) => !parts.includes(`\`${flag}\``)),
		[],
	);
	t.deepEqual(
		program.commands.map((command) => command.name()).filter((verb) => !readme.includes(`\`${verb}\``)),
		[],
	);
});

test('relative links lead to files', (t) => {
	const broken = pages.flatMap((page) =>
		[...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
			.map(([, target = '']) => target)
			.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
			.map((target) => `${page}: ${target}`),
	);
	t.deepEqual(broken, []);
});

test('every top-level folder has a README of under a page', (t) => {
	const folders = readdirSync(root, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !['node_modules', 'dist'].includes(entry.name))
		.map(({ name }) => name);
	const lines = folders.map((folder) => [
		folder,
		existsSync(join(root, folder, 'README.md')) ? textOf(`${folder}/README.md`).split('\n').length : 0,
	]);
	t.deepEqual(
		lines.filter(([, count]) => count === 0 || Number(count) > 60),
		[],
	);
});
