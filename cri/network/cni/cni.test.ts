/** The CNI client: what it reads, what it gives plug-ins and in which order, as tables. */
import test from 'ava';
import { PodSandboxConfig, Protocol } from '../../proto.ts';
import { bandwidthOf } from './bandwidth.ts';
import { capabilityArgs, cniArgs, IPS_ANNOTATION } from './capability-args.ts';
import { configFiles, type NetworkConfig, parseConfig } from './config.ts';
import { Exclusive } from './exclusive.ts';
import { type CniCall, type CniExec, environment, pluginError } from './exec.ts';
import * as cni from './operations.ts';
import { type CniResult, podIps, resultAs } from './result.ts';
import { chooseVersion } from './version.ts';

const list = (more: object = {}): NetworkConfig =>
	parseConfig('n.conflist', JSON.stringify({ cniVersion: '1.0.0', name: 'n', plugins: [{ type: 'one' }, { type: 'two' }], ...more }));

test('configuration files: by their ending, in lexical order', (t) =>
	t.deepEqual(configFiles(['b.conf', 'a.conflist', '.hidden.swp', 'c.json', 'README', 'a.conf.bak']), ['a.conflist', 'b.conf', 'c.json']));
for (const [name, file, text, wrong] of [
	['a list', 'a.conflist', '{"cniVersion":"1.0.0","name":"n","plugins":[{"type":"p"}]}', undefined],
	['one plug-in', 'a.conf', '{"cniVersion":"0.3.1","name":"n","type":"p"}', undefined],
	['one plug-in as .json', 'a.json', '{"cniVersion":"0.3.1","name":"n","type":"p"}', undefined],
	['several versions', 'a.conflist', '{"cniVersions":["1.0.0","1.1.0"],"name":"n","plugins":[]}', undefined],
	['no JSON', 'a.conf', '{', /no JSON object/],
	['no name', 'a.conf', '{"cniVersion":"0.3.1","type":"p"}', /name must be/],
	['a name that is a path', 'a.conf', '{"cniVersion":"0.3.1","name":"../n","type":"p"}', /name must be/],
	['no version', 'a.conf', '{"name":"n","type":"p"}', /cniVersion is missing/],
	['no type', 'a.conf', '{"cniVersion":"0.3.1","name":"n"}', /has no type/],
	['a type that is a path', 'a.conf', '{"cniVersion":"0.3.1","name":"n","type":"../../bin/sh"}', /no name of a plug-in/],
	['a list in the wrong file', 'a.conf', '{"cniVersion":"0.3.1","name":"n","plugins":[]}', /must be named \*\.conflist/],
	['no list', 'a.conflist', '{"cniVersion":"0.3.1","name":"n"}', /plugins must be a list/],
] as const)
	test(`configuration: ${name}`, (t) => {
		if (wrong === undefined) t.is(parseConfig(file, text).name, 'n');
		else t.throws(() => parseConfig(file, text), { code: 'InvalidArgument', message: wrong });
	});
test('configuration: flags may be text', (t) => {
	t.true(list({ disableCheck: 'true' }).disableCheck);
	t.false(list({ disableGC: 'false' }).disableGC);
});

for (const [name, wanted, supported, want] of [
	['the one that is asked for', ['0.4.0'], ['0.3.1', '0.4.0', '1.0.0'], '0.4.0'],
	['the newest of several', ['1.0.0', '1.1.0', '0.4.0'], ['0.4.0', '1.0.0', '1.1.0'], '1.1.0'],
	['the newest that the plug-in knows', ['0.4.0', '1.1.0'], ['0.4.0', '1.0.0'], '0.4.0'],
	['one that this client knows', ['1.0.0', '9.0.0'], ['1.0.0', '9.0.0'], '1.0.0'],
	['none that this client knows', ['0.2.0'], ['0.2.0'], /has version "0\.2\.0"; supported are 0\.3\.0/],
	['none that the plug-in knows', ['1.1.0'], ['0.4.0'], /"p" does not support version 1\.1\.0 of network "n", only 0\.4\.0/],
] as const)
	test(`version: ${name}`, (t) => {
		const choose = (): string => chooseVersion('n', wanted, new Map([['p', supported]]));
		if (typeof want === 'string') t.is(choose(), want);
		else t.throws(choose, { code: 'FailedPrecondition', message: want });
	});

const RESULT: CniResult = {
	cniVersion: '1.0.0',
	interfaces: [{ name: 'veth1' }, { name: 'eth0', sandbox: '/x' }],
	ips: [
		{ address: '10.1.0.9/16', interface: 0 },
		{ address: '10.1.0.5/16', gateway: '10.1.0.1', interface: 1 },
		{ address: 'fd00::5/64', interface: 1 },
		{ address: '10.1.0.6/16', interface: 1 },
	],
	extra: 1,
};
test("results: the addresses of the pod's interface, one of each family", (t) => {
	t.deepEqual(podIps(RESULT, 'eth0'), ['10.1.0.5', 'fd00::5']);
	t.deepEqual(podIps({ cniVersion: '1.0.0', ips: [{ address: 'fd00::1/64' }, { address: '10.0.0.1/8' }] }, 'eth0'), [
		'fd00::1',
		'10.0.0.1',
	]);
	t.deepEqual(podIps({ cniVersion: '1.0.0' }, 'eth0'), []);
});
test('results: until 0.4 an address says its family', (t) => {
	const old = resultAs(RESULT, '0.3.1');
	t.is(old.cniVersion, '0.3.1');
	t.deepEqual(
		(old['ips'] as { version: string }[]).map((ip) => ip.version),
		['4', '4', '6', '4'],
	);
	t.is(old['extra'], 1, 'what this client does not know travels along');
	t.deepEqual(resultAs(old, '1.0.0'), RESULT);
});

/** Plug-ins that answer by a function; every call is kept. */
function plugins(answer: (call: CniCall) => unknown = () => ({})): { readonly exec: CniExec; readonly calls: CniCall[] } {
	const calls: CniCall[] = [];
	return {
		calls,
		exec: async (call) => {
			calls.push(call);
			return JSON.stringify(answer(call));
		},
	};
}
const POD = { containerId: 'c1', netns: '/proc/1/ns/net', ifname: 'eth0', args: [['IgnoreUnknown', '1']] } as const;
const network = (version: string, more: object = {}): cni.CniNetwork => ({ config: list(more), version });

test('ADD: each plug-in gets what the one before answered, in the version of the network', async (t) => {
	const { exec, calls } = plugins(({ plugin }) => ({ cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }], by: plugin }));
	const result = await cni.add(exec, network('1.0.0'), POD, {});
	t.deepEqual(result, { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], by: 'two' });
	t.deepEqual(
		calls.map((c) => [c.command, c.plugin, (c.config['prevResult'] as CniResult | undefined)?.['by']]),
		[
			['ADD', 'one', undefined],
			['ADD', 'two', 'one'],
		],
	);
	t.like(calls[1]?.config, { name: 'n', cniVersion: '1.0.0', prevResult: { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }] } });
});
for (const [version, previous] of [
	['0.3.1', undefined],
	['0.4.0', RESULT],
] as const)
	test(`DEL ${version}: in reverse order, ${previous === undefined ? 'without' : 'with'} the result of ADD`, async (t) => {
		const { exec, calls } = plugins();
		await cni.del(exec, network(version), POD, {}, RESULT);
		t.deepEqual(
			calls.map((c) => [c.command, c.plugin, c.config['prevResult']]),
			[
				['DEL', 'two', previous],
				['DEL', 'one', previous],
			],
		);
	});
test('CHECK: from 0.4.0 on, unless turned off', async (t) => {
	for (const [asked, count] of [
		[network('0.3.1'), 0],
		[network('1.0.0', { disableCheck: true }), 0],
		[network('0.4.0'), 2],
	] as const) {
		const { exec, calls } = plugins();
		await cni.check(exec, asked, POD, {}, RESULT);
		t.is(calls.length, count);
		if (count > 0) t.is(calls[1]?.config['prevResult'], RESULT);
	}
});
test('GC: from 1.1.0 on, with what is still connected; every plug-in is asked', async (t) => {
	for (const asked of [network('1.0.0'), network('1.1.0', { disableGC: true })]) {
		const { exec, calls } = plugins();
		await cni.gc(exec, asked, []);
		t.is(calls.length, 0);
	}
	const { exec, calls } = plugins(({ plugin }) => {
		if (plugin === 'one') throw new Error('busy');
		return {};
	});
	await t.throwsAsync(cni.gc(exec, network('1.1.0'), [POD]), { message: 'busy' });
	t.deepEqual(
		calls.map((c) => [c.command, c.plugin, c.attachment, c.config['cni.dev/valid-attachments']]),
		[
			['GC', 'one', undefined, [{ containerID: 'c1', ifname: 'eth0' }]],
			['GC', 'two', undefined, [{ containerID: 'c1', ifname: 'eth0' }]],
		],
	);
});
test('STATUS: from 1.1.0 on', async (t) => {
	for (const [version, count] of [
		['1.0.0', 0],
		['1.1.0', 2],
	] as const) {
		const { exec, calls } = plugins();
		await cni.status(exec, network(version));
		t.is(calls.length, count);
	}
});
test('capabilities: only what the plug-in declares, and nobody sees the declaration', (t) => {
	const config = list({ plugins: [{ type: 'one', capabilities: { portMappings: true, bandwidth: false, ips: true }, mtu: 1400 }] });
	const plugin = config.plugins[0] as NetworkConfig['plugins'][0];
	t.deepEqual(cni.pluginConfig({ config, version: '1.0.0' }, plugin, { portMappings: [1], bandwidth: {}, dns: {} }, undefined), {
		type: 'one',
		mtu: 1400,
		name: 'n',
		cniVersion: '1.0.0',
		runtimeConfig: { portMappings: [1] },
	});
	t.false('runtimeConfig' in cni.pluginConfig({ config, version: '1.0.0' }, plugin, { dns: {} }, undefined));
});

const pod = (more: Partial<PodSandboxConfig>): PodSandboxConfig => ({
	...PodSandboxConfig.decode(Buffer.alloc(0)),
	metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 0 },
	...more,
});
test('what a pod asks for, as capabilities', (t) => {
	t.deepEqual(capabilityArgs(pod({}), []), {});
	const asked = pod({
		portMappings: [
			{ protocol: Protocol.UDP, containerPort: 53, hostPort: 5353, hostIp: '127.0.0.1' },
			{ protocol: Protocol.TCP, containerPort: 80, hostPort: 0, hostIp: '' },
		],
		annotations: { 'kubernetes.io/ingress-bandwidth': '1M', [IPS_ANNOTATION]: '10.1.0.7, fd00::7' },
		dnsConfig: { servers: ['10.96.0.10'], searches: ['a'], options: ['ndots:5'] },
	});
	t.like(capabilityArgs(asked, ['10.1.0.0/24', 'fd00::/64']), {
		portMappings: [{ hostPort: 5353, containerPort: 53, protocol: 'udp', hostIP: '127.0.0.1' }],
		bandwidth: { ingressRate: 1_000_000, ingressBurst: 2147483647 },
		dns: { servers: ['10.96.0.10'], searches: ['a'], options: ['ndots:5'] },
		ips: ['10.1.0.7', 'fd00::7'],
		ipRanges: [[{ subnet: '10.1.0.0/24' }], [{ subnet: 'fd00::/64' }]],
	});
	t.throws(() => capabilityArgs(pod({ annotations: { [IPS_ANNOTATION]: 'x' } }), []), { code: 'InvalidArgument' });
});
test('CNI_ARGS cannot be forged', (t) => {
	t.deepEqual(
		cniArgs(pod({}), 'c1')
			.map((a) => a.join('='))
			.join(';'),
		'IgnoreUnknown=1;K8S_POD_NAMESPACE=ns;K8S_POD_NAME=p;K8S_POD_INFRA_CONTAINER_ID=c1;K8S_POD_UID=u',
	);
	t.throws(() => cniArgs(pod({ metadata: { name: 'p;K8S_POD_UID=x', namespace: 'ns', uid: 'u', attempt: 0 } }), 'c1'), {
		code: 'InvalidArgument',
	});
});
for (const [text, want] of [
	['1M', 1_000_000],
	['1.5M', 1_500_000],
	['1Ki', 1024],
	['2e3', 2000],
	['1000', 1000],
	['1P', 1e15],
	['999', /unreasonably small/],
	['500m', /unreasonably small/],
	['2P', /unreasonably large/],
	['1MB', /not a quantity/],
	['', /not a quantity/],
	['-1M', /unreasonably small/],
] as const)
	test(`bandwidth ${JSON.stringify(text)}`, (t) => {
		const rate = (): number | undefined => bandwidthOf({ 'kubernetes.io/egress-bandwidth': text })?.egressRate;
		if (typeof want === 'number') t.is(rate(), want);
		else t.throws(rate, { code: 'InvalidArgument', message: want });
	});

for (const [name, out, err, code, message] of [
	['an error', '{"code":7,"msg":"bad","details":"very"}', '', 'FailedPrecondition', 'CNI plug-in "p": ADD failed (code 7): bad; very'],
	['try again later', '{"code":11,"msg":"busy"}', '', 'Unavailable', 'CNI plug-in "p": ADD failed (code 11): busy'],
	["a plug-in's own", '{"code":100,"msg":"x"}', '', 'Internal', 'CNI plug-in "p": ADD failed (code 100): x'],
	['no JSON', 'panic', 'at line 1', 'Internal', 'CNI plug-in "p": ADD failed (2): panic; at line 1'],
	['silence', '', '', 'Internal', 'CNI plug-in "p": ADD failed (2)'],
] as const)
	test(`what a failed plug-in says: ${name}`, (t) => {
		const error = pluginError({ command: 'ADD', plugin: 'p', config: {} }, out, err, 2);
		t.deepEqual([error.code, error.message], [code, message]);
	});
test('the environment of a plug-in', (t) => {
	const { PATH, ...given } = environment({ command: 'ADD', plugin: 'p', config: {}, attachment: POD }, ['/a', '/b']);
	t.true(PATH?.startsWith('/usr/local/sbin:'), 'the system before whatever a developer has');
	t.deepEqual(given, {
		CNI_COMMAND: 'ADD',
		CNI_PATH: '/a:/b',
		CNI_CONTAINERID: 'c1',
		CNI_NETNS: '/proc/1/ns/net',
		CNI_IFNAME: 'eth0',
		CNI_ARGS: 'IgnoreUnknown=1',
	});
	t.like(environment({ command: 'GC', plugin: 'p', config: {} }, ['/a']), {
		CNI_COMMAND: 'GC',
		CNI_PATH: '/a',
		CNI_CONTAINERID: undefined,
	});
});

test('garbage collection is alone, and so is the work on one pod', async (t) => {
	const exclusive = new Exclusive();
	const order: string[] = [];
	const first = Promise.withResolvers<void>();
	const say = (word: string) => async (): Promise<void> => void order.push(word);
	const work = [
		exclusive.shared('a', async () => first.promise.then(say('first'))),
		exclusive.shared('b', say('beside')),
		exclusive.shared('a', say('then')),
		exclusive.alone(say('alone')),
		exclusive.shared('b', say('after')),
	];
	await work[1];
	first.resolve();
	await Promise.all(work);
	t.deepEqual(order, ['beside', 'first', 'then', 'alone', 'after']);
	await t.throwsAsync(exclusive.alone(() => Promise.reject(new Error('x'))));
	await t.throwsAsync(exclusive.shared('a', () => Promise.reject(new Error('x'))));
	t.is(await exclusive.shared('a', async () => 1), 1, 'a failure blocks nobody');
});
