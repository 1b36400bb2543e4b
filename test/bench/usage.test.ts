import test from 'ava';
import { asked } from './usage.ts';

for (const [name, argv, want] of [
	['a benchmark', ['api'], { type: 'bench', name: 'api', args: [] }],
	['parts of one', ['api', 'get', 'create'], { type: 'bench', name: 'api', args: ['get', 'create'] }],
	['a part and its number', ['density', 'hollow', '400'], { type: 'bench', name: 'density', args: ['hollow', '400'] }],
	['memory of the storage driver and its roles', ['csi', 'memory', '10'], { type: 'bench', name: 'csi', args: ['memory', '10'] }],
	['numbers in order', ['start', '3', '1000'], { type: 'bench', name: 'start', args: ['3', '1000'] }],
	['an option', ['cri', '--engine=sid', '5'], { type: 'bench', name: 'cri', args: ['--engine=sid', '5'] }],
] as const)
	test(`npm run bench asks for: ${name}`, (t) => t.deepEqual(asked(argv), want));

for (const [name, argv, status, says] of [
	['no name', [], 2, /^usage: .*\n {2}pod-start /],
	['help', ['--help'], 0, /^usage: [^]*\n {2}api [^]*\n {13}parts: get, create, list, watch, memory; all unless told\n[^]*\n {2}start /],
	['help of one', ['api', '--help'], 0, /^usage: [^\n]*\n {2}api [^\n]*\n {13}parts: get, create, list, watch, memory; all unless told$/],
	['no benchmark', ['apis'], 2, /^"apis" is no benchmark\.\nusage: /],
	['a name that every object has', ['constructor'], 2, /^"constructor" is no benchmark\.\nusage: /],
	['no part', ['api', 'creates'], 2, /^api does not take "creates"\.\nusage: /],
	['a number too many', ['csi', '1', '2'], 2, /^csi does not take "2"\.\nusage: [^]*numbers: rounds \(30\)$/],
] as const)
	test(`npm run bench tells how it is asked: ${name}`, (t) => {
		const got = asked(argv);
		if (got.type !== 'usage') return t.fail(`it runs ${got.name}`);
		t.is(got.status, status);
		t.regex(got.text, says);
	});
