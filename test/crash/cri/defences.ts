/** What keeps hostile pods, images and local users from the shim's reach, each with the test that stands for it. */
import type { Defence, Defended } from '../../tools/defences.ts';

const LIST: readonly Defence[] = [
	{ file: 'cri/logs/log-path.ts', from: "normal.startsWith('../')", to: 'false', test: 'log paths*' },
	{ file: 'host/own-file.ts', from: ' | constants.O_NOFOLLOW', to: '', test: '*not written through: a name*' },
	{
		file: 'host/own-file.ts',
		from: 'openBeneath(above, relative(root, dirname(path)), mode)',
		to: 'openFolder(dirname(path))',
		test: '*not written through: a folder*',
	},
	{ file: 'host/own-file.ts', from: 'if (stat.nlink > 1)', to: 'if (false)', test: '*not written through: a second name*' },
	{
		file: 'cri/start.ts',
		from: "JSON.stringify({ name: [`^/?${namePrefix.replaceAll('.', '\\\\.')}`] })",
		// Of this instance: with any of a pod's labels it would take away what others run on this engine.
		to: 'JSON.stringify({ label: [`io.kubeling.instance=${namePrefix.slice(namePrefix.lastIndexOf("-") + 1, -1)}`] })',
		also: ['c.Names.filter((n) => n.startsWith(`/${namePrefix}`))', 'c.Names'],
		test: '*labels of this shim*',
	},
	{
		file: 'cri/state/state.ts',
		from: "if (exact !== undefined || id === '') return exact;",
		to: 'if (exact !== undefined) return exact;',
		test: 'ids and names*',
	},
	{ file: 'cri/convert/names.ts', from: "replaceAll(/[^a-zA-Z0-9.-]/g, '-')", to: "replaceAll(/~/g, '-')", test: 'ids and names*' },
	{ file: 'cri/streaming/tokens.ts', from: 'this.#values.delete(token);\n\t\treturn', to: 'return', test: 'a streaming URL*' },
	{ file: 'cri/streaming/tokens.ts', from: 'randomBytes(24)', to: 'randomBytes(3)', test: 'a streaming URL*' },
	{ file: 'cri/streaming/server.ts', from: ' || wanted.kind !== kind', to: '', test: 'a streaming URL*' },
	{ file: 'cri/handlers/exec-sync.ts', from: '15 * 1024 * 1024', to: '1500 * 1024 * 1024', test: 'output without end*' },
	{ file: 'cri/streaming/server.ts', from: 'const HEADERS_MS = 10_000;', to: 'const HEADERS_MS = 1_000_000;', test: 'thousands of idle*' },
];

export const DEFENCES: Defended = { list: LIST, tests: ['cri/security.integration.test.ts'], config: 'ava.e2e.config.js' };
