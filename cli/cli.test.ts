import test from 'ava';
import { defaultDataDir } from '../cluster/data-folder.ts';
import { CLUSTER_FLAGS, SHIM_FLAGS } from '../cluster/node-flags.ts';
import { smallArguments } from './become-small.ts';
import { daemonArguments } from './detach.ts';
import { apiserverFlagsOf, optionsOf } from './flags.ts';
import { createProgram } from './program.ts';
import { ProgressView, whichFlags } from './progress.ts';
import { diagnosticsOf } from '../cluster/csi-roles.ts';
import { configOf as csiConfigOf } from './verbs/csi.ts';

test('a daemon is started with what was given, its data folder always among it', (t) => {
	t.deepEqual(daemonArguments({}, '/d'), ['up', '--data-dir', '/d']);
	t.deepEqual(daemonArguments({ name: 'a', port: '0', isolate: true, install: true, logLevel: 'debug' }, '/d'), [
		'up',
		'--data-dir',
		'/d',
		'--name',
		'a',
		'--port',
		'0',
		'--isolate',
		'--install',
		'--log-level',
		'debug',
	]);
});

test('a cluster in the foreground is started anew with what a daemon gets, once; flags of the user come last and hold', (t) => {
	t.deepEqual(smallArguments([], ['launcher.js', 'up']), [...CLUSTER_FLAGS, 'launcher.js', 'up']);
	const anew = smallArguments(['--max-semi-space-size=64'], ['launcher.js', 'up']) ?? [];
	t.deepEqual(anew, [...CLUSTER_FLAGS, '--max-semi-space-size=64', 'launcher.js', 'up']);
	t.deepEqual(smallArguments([], ['launcher.js', 'cri'], SHIM_FLAGS), [...SHIM_FLAGS, 'launcher.js', 'cri']);
	t.is(smallArguments(anew.slice(0, -2), ['launcher.js', 'up']), undefined);
});

test('flags become options; a port that is no number is named', (t) => {
	t.deepEqual(optionsOf({ port: '7443', nodeName: 'n' }), { port: 7443, nodeName: 'n' });
	t.throws(() => optionsOf({ port: '64x' }), { message: /--port "64x" is not a port/ });
});

for (const [name, dataDir, want] of [
	['kubeling', defaultDataDir('kubeling'), ''],
	['ci', defaultDataDir('ci'), ' --name ci'],
	['ci', '/tmp/d', ' --name ci --data-dir /tmp/d'],
] as const)
	test(`later verbs find ${name} in ${dataDir} by "${want}"`, (t) => t.is(whichFlags(name, dataDir), want));

test("the API server's flags: lists that are given again grow, of others the last one counts", (t) => {
	for (const verb of ['up', 'apiserver']) {
		const command = createProgram().commands.find((one) => one.name() === verb);
		command?.parseOptions([
			...['--service-account-issuer', 'https://new', '--service-account-issuer=https://old', '--service-account-key-file', '/a'],
			...[
				'--service-account-key-file',
				'/b',
				'--audit-log-path=/x',
				'--audit-log-path=/y',
				'--profiling=F',
				'--kubelet-certificate-authority=',
				'--enable-admission-plugins=A,B',
			],
		]);
		t.deepEqual(apiserverFlagsOf(command?.opts() ?? {}), {
			'service-account-issuer': ['https://new', 'https://old'],
			'service-account-key-file': ['/a', '/b'],
			'audit-log-path': '/y',
			profiling: 'F',
			'kubelet-certificate-authority': '',
			'enable-admission-plugins': ['A', 'B'],
		});
	}
});

test('progress off a terminal is a plain line a step, and ends with what to try', (t) => {
	let text = '';
	const out = { isTTY: false, write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
	const view = new ProgressView(out);
	view.show({ type: 'step', text: 'Finding Docker Engine' });
	view.show({ type: 'done', text: 'Docker Engine 28', ms: 1234 });
	const access = { name: 'ci', server: 'https://127.0.0.1:6443', caPem: '', certPem: '', keyPem: '' };
	view.welcome({ type: 'ready', access, nodeName: 'n', dataDir: '/d', ms: 900, resumed: false }, '/k', true);
	t.regex(text, /^✔ Docker Engine 28 +1\.2 s\n/);
	t.regex(text, /Kubeling is up after 0\.9 s: https:\/\/127\.0\.0\.1:6443, node "n"\.\nContext "ci" is current in \/k\./);
	t.regex(text, /kubeling down --name ci --data-dir \/d/);
	t.notRegex(text, /…|\r/);
});

test('every verb teaches: what it is for, and examples that it understands', (t) => {
	for (const verb of createProgram().commands.filter((command) => !['help', 'version'].includes(command.name()))) {
		let help = '';
		verb.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
		t.true(verb.description().endsWith('.'), verb.name());
		const shown = [...help.matchAll(/^ {2}kubeling (\S+)(.*?)(?: {2}.*)?$/gm)];
		t.true(shown.length > 0, `${verb.name()} has no example`);
		for (const [, name, words = ''] of shown) {
			t.is(name, verb.name());
			const flags = [...words.matchAll(/ (--?[a-z][a-z-]*)/g)].map(([, flag]) => flag);
			for (const flag of flags)
				t.true(
					verb.options.some((option) => option.long === flag || option.short === flag),
					`${name} ${flag}`,
				);
		}
	}
});

test('kubeling csi ROLE: where metrics and the health of leases are told', (t) => {
	for (const [flags, where] of [
		[{}, undefined],
		[{ httpEndpoint: '' }, undefined],
		[{ httpEndpoint: ':8080' }, { host: '', port: 8080, metricsPath: '/metrics' }],
		[
			{ metricsAddress: '127.0.0.1:0', metricsPath: '/m' },
			{ host: '127.0.0.1', port: 0, metricsPath: '/m' },
		],
		[{ httpEndpoint: '[::1]:1' }, { host: '::1', port: 1, metricsPath: '/metrics' }],
	] as const)
		t.deepEqual(diagnosticsOf(flags), where);
	for (const bad of ['8080', ':', ':70000', 'a:b:1', '[::1'])
		t.throws(() => diagnosticsOf({ httpEndpoint: bad }), { code: 'InvalidArgument', message: /^--http-endpoint ".*" is no address/ });
	t.throws(() => diagnosticsOf({ httpEndpoint: ':1', metricsAddress: ':1' }), {
		message: 'Only one of --metrics-address and --http-endpoint can be set',
	});
});

test('kubeling csi: flags become settings, and only those that were given', (t) => {
	t.deepEqual(csiConfigOf({ logLevel: 'info' }), {});
	t.deepEqual(csiConfigOf({ logLevel: 'info', listen: 'unix:///run/x.sock', maxVolumes: '5', backends: 'btrfs,loop', role: 'node' }), {
		role: 'node',
		socketPath: '/run/x.sock',
		maxVolumesPerNode: 5,
		backends: ['btrfs', 'loop'],
	} as never);
	t.throws(() => csiConfigOf({ logLevel: 'info', maxVolumes: 'many' }), { message: /--max-volumes "many" is no number/ });
});
