import test from 'ava';
import { cacheName, type GoTool } from './go-tool.ts';

const TOOL: GoTool = { name: 'tool-1.0', modules: ['example.com/a@v1.0.0'], main: { package: 'example.com/a' } };

test('a built tool is known by its name and by what it was built from', (t) => {
	t.regex(cacheName(TOOL), /^tool-1\.0-[0-9a-f]{12}$/);
	t.is(cacheName({ ...TOOL, modules: [...TOOL.modules] }), cacheName(TOOL));
});

for (const [what, other] of [
	['module', { modules: ['example.com/a@v1.0.1'] }],
	['module more', { modules: [...TOOL.modules, 'example.com/b@v1.0.0'] }],
	['package', { main: { package: 'example.com/a/cmd' } }],
	['way of building', { main: { testPackage: 'example.com/a' } }],
	['source', { main: 'package main' }],
	['place of modules', { staged: { module: 'example.com/a@v1.0.0', version: 'v0.1.0' } }],
	['linker flag', { ldflags: '-X a.version=1' }],
] as const)
	test(`a tool of another ${what} is built anew`, (t) => t.not(cacheName({ ...TOOL, ...other }), cacheName(TOOL)));
