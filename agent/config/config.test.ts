/** KubeletConfiguration: what is read, merged, refused, and gone by. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { configz } from '../server/configz.ts';
import type { AgentOptions } from '../options.ts';
import { withSettings } from './apply.ts';
import { loadConfiguration, merge } from './load.ts';
import { settingsOf, withoutEffect } from './settings.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

for (const [name, files, want] of [
	['nothing', {}, {}],
	['a file', { main: `${HEAD}maxPods: 5\nclusterDNS: [10.0.0.10]\n` }, { maxPods: 5, clusterDNS: ['10.0.0.10'] }],
	[
		'drop-ins in the order of their names, folders too, only *.conf',
		{
			main: `${HEAD}maxPods: 5\nevictionHard: {memory.available: 1Mi, nodefs.available: 5%}\n`,
			'dir/20-b.conf': `${HEAD}maxPods: 7\n`,
			'dir/10-a.conf': `${HEAD}maxPods: 6\nevictionHard: {memory.available: 2Mi}\nclusterDNS: [1.1.1.1]\n`,
			'dir/30/x.conf': `${HEAD}clusterDNS: [2.2.2.2]\n`,
			'dir/40.yaml': `${HEAD}maxPods: 8\n`,
		},
		{ maxPods: 7, evictionHard: { 'memory.available': '2Mi', 'nodefs.available': '5%' }, clusterDNS: ['2.2.2.2'] },
	],
	['a null takes away', { main: `${HEAD}maxPods: 5\n`, 'dir/a.conf': `${HEAD}maxPods: null\n` }, {}],
	['a drop-in may leave out what it is', { 'dir/a.conf': 'maxPods: 5\n' }, { maxPods: 5 }],
	[
		'an unknown field',
		{ main: `${HEAD}maxPod: 5\nauthentication: {x: 1}\n` },
		/"[^"]*main": unknown field "maxPod"; unknown field "authentication\.x"$/,
	],
	[
		'another kind of value',
		{ main: `${HEAD}maxPods: many\nclusterDNS: x\n` },
		/maxPods must be a whole number, not "many"; clusterDNS must be a list of texts/,
	],
	['no duration', { main: `${HEAD}syncFrequency: 5\n` }, /syncFrequency must be a duration/],
	['a unit that is none', { main: `${HEAD}syncFrequency: 5x\n` }, /syncFrequency: time: unknown unit "x" in duration "5x"/],
	[
		'another kind',
		{ main: 'apiVersion: v1\nkind: Pod\n' },
		/must be kind KubeletConfiguration of kubelet\.config\.k8s\.io\/v1beta1, not "Pod" of "v1"/,
	],
	['no mapping', { main: '- a\n' }, /it must be an object/],
	[
		'figures of the node out of bounds, and what cannot be done',
		{ main: `${HEAD}kubeAPIQPS: -1\nkubeAPIBurst: -1\nnodeStatusMaxImages: -2\noomScoreAdj: 1001\nenableControllerAttachDetach: false\n` },
		/kubeAPIQPS -1 must not be a negative number.*kubeAPIBurst -1 must not be a negative number.*nodeStatusMaxImages -2 must be -1 or greater.*oomScoreAdj 1001 must be between.*enableControllerAttachDetach: false is not supported/s,
	],
	['no YAML', { main: 'a: [\n' }, /neither JSON nor YAML/],
	[
		'a crash-loop period out of its bounds',
		{ main: `${HEAD}crashLoopBackOff: {maxContainerRestartPeriod: 500ms}\n` },
		/maxContainerRestartPeriod 500ms must be between 1s and 300s/,
	],
	[
		'a CPU manager without reservation, with an option that there is none of',
		{ main: `${HEAD}cpuManagerPolicy: static\ncpuManagerPolicyOptions: {turbo: "true"}\n` },
		/unknown CPU Manager Policy option: "turbo"; .*the static policy requires systemreserved\.cpu \+ kubereserved\.cpu to be greater than zero/,
	],
	[
		'options of a CPU manager that is off',
		{ main: `${HEAD}cpuManagerPolicyOptions: {full-pcpus-only: "true", align-by-socket: "true"}\n` },
		/None policy: received unsupported options=map\[align-by-socket:true full-pcpus-only:true\]/,
	],
	[
		'managers and their options that there are none of',
		{
			main: `${HEAD}memoryManagerPolicy: static\ntopologyManagerPolicy: best\ntopologyManagerScope: node\ntopologyManagerPolicyOptions: {max-allowable-numa-nodes: "4"}\n`,
		},
		/memoryManagerPolicy "static" must be .*topologyManagerPolicy "best" must be .*topologyManagerScope "node" must be .*"max-allowable-numa-nodes" should not be less than 8/,
	],
	[
		'a switch that is none of what Go reads as one',
		{ main: `${HEAD}topologyManagerPolicy: restricted\ntopologyManagerPolicyOptions: {prefer-closest-numa-nodes: tRUE}\n` },
		/bad value for option "prefer-closest-numa-nodes": "tRUE"/,
	],
	[
		'memory that is reserved twice, and of what is no memory',
		{ main: `${HEAD}reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}, {numaNode: 0, limits: {memory: 1Gi, cpu: "1"}}]\n` },
		/duplicate value for NUMA node 0 and resource "memory"; .*the limit type "cpu" for NUMA node 0 is not allowed/,
	],
	[
		'processors that are no list',
		{ main: `${HEAD}reservedSystemCPUs: all\n` },
		/unable to parse reservedSystemCPUs \(--reserved-cpus\) "all"/,
	],
	[
		'swap for everybody',
		{ main: `${HEAD}memorySwap: {swapBehavior: UnlimitedSwap}\n` },
		/memorySwap.swapBehavior "UnlimitedSwap" must be one of: "", "LimitedSwap" or "NoSwap"/,
	],
	[
		'what only the files together say rightly',
		{
			main: `${HEAD}enforceNodeAllocatable: [pods, system-reserved]\ncontainerLogMaxFiles: 1\n`,
			'dir/a.conf': `${HEAD}systemReservedCgroup: /system\ncontainerLogMaxFiles: 3\n`,
		},
		{ enforceNodeAllocatable: ['pods', 'system-reserved'], systemReservedCgroup: '/system', containerLogMaxFiles: 3 },
	],
	[
		'fields of which the default alone has an effect',
		{ main: `${HEAD}memoryReservationPolicy: None\nhairpinMode: hairpin-veth\n` },
		{ memoryReservationPolicy: 'None', hairpinMode: 'hairpin-veth' },
	],
	[
		'fields out of their bounds, also those that change nothing',
		{
			main: `${HEAD}iptablesDropBit: 32\nmaxOpenFiles: -1\nnodeLeaseDurationSeconds: -1\nhairpinMode: loose\nmemoryReservationPolicy: TieredReservation\nmemoryThrottlingFactor: 1.5\nsystemCgroups: /system\n`,
		},
		/iptablesDropBit 32 must be between 0 and 31.*maxOpenFiles -1 must not be a negative.*nodeLeaseDurationSeconds must be greater than 0.*option "loose" specified for hairpinMode.*"TieredReservation" requires MemoryQoS.*memoryThrottlingFactor 1\.5 must be greater than 0.*systemCgroups was specified and cgroupRoot was not/s,
	],
	[
		'spans for nobody',
		{ main: `${HEAD}tracing: {samplingRatePerMillion: 1000001, endpoint: 'http://collector:4317'}\n` },
		/tracing\.samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million.*tracing\.endpoint: Invalid value: "http:\/\/collector:4317": unsupported scheme: http/s,
	],
	['a rate below nothing', { main: `${HEAD}tracing: {samplingRatePerMillion: -1}\n` }, /Invalid value: -1: sampling rate must be positive/],
	[
		'durations out of their bounds',
		{
			main: `${HEAD}imageMinimumGCAge: 2m\nimageMaximumGCAge: 1m\ncpuCFSQuotaPeriod: 2s\ncontainerLogMonitorInterval: 2s\nshutdownGracePeriod: -5s\nshutdownGracePeriodCriticalPods: -6s\n`,
		},
		/imageMaximumGCAge 1m must be greater than imageMinimumGCAge.*cpuCFSQuotaPeriod 2s must be between 1ms and 1sec.*containerLogMonitorInterval must be .* 3s.*shutdownGracePeriod -5s must be either zero/s,
	],
	[
		'a folder of logs that is none, taints that are none, what is enforced twice',
		{
			main: `${HEAD}podLogsDir: logs/../é\nregisterWithTaints: [{key: a b, effect: Never}]\nenforceNodeAllocatable: [pods, pods]\n`,
		},
		/must be absolute path.*must be normalized.*ASCII characters only.*invalid taint: \{"key":"a b","effect":"Never"\}.*duplicated enforcements "pods"/s,
	],
	[
		'thresholds that cross',
		{ main: `${HEAD}imageGCHighThresholdPercent: 70\n` },
		/imageGCLowThresholdPercent 80 must be less than imageGCHighThresholdPercent 70/,
	],
] as const)
	test(`loadConfiguration(): ${name}`, async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'kubeling-config-'));
		t.teardown(() => rm(folder, { recursive: true }));
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(folder, path)), { recursive: true });
			await writeFile(join(folder, path), text);
		}
		const sources = {
			file: 'main' in files ? join(folder, 'main') : undefined,
			folder: Object.keys(files).some((f) => f.startsWith('dir/')) ? join(folder, 'dir') : undefined,
		};
		if (want instanceof RegExp) return void (await t.throwsAsync(loadConfiguration(sources), { message: want }));
		const { apiVersion: _v, kind: _k, ...got } = await loadConfiguration(sources);
		t.deepEqual(got, want);
	});

for (const sources of [{ folder: '/nowhere' }, { file: '/nowhere' }])
	test(`loadConfiguration(): ${Object.keys(sources)[0]} that is not there`, async (t) =>
		void (await t.throwsAsync(loadConfiguration(sources), { code: 'NotFound', message: /^Cannot read the .*"\/nowhere": ENOENT/ })));

test('merge(): objects field by field, lists as a whole', (t) => {
	t.deepEqual(merge({ a: { b: 1, c: 2 }, l: [1, 2] }, { a: { b: null, d: 3 }, l: [3] }), { a: { c: 2, d: 3 }, l: [3] });
});

for (const [name, given, want] of [
	[
		'upstream defaults',
		{},
		{ syncMs: 60_000, maxRestartMs: 300_000, fileCheckMs: 20_000, nodeStatusMs: 10_000, nodeReportMs: 300_000, leaseSeconds: 40 },
	],
	['a crash-loop period', { crashLoopBackOff: { maxContainerRestartPeriod: '1m30s' } }, { maxRestartMs: 90_000 }],
	['a zero asks for the default', { syncFrequency: '0s' }, { syncMs: 60_000 }],
	[
		'another frequency of node status is that of reports too',
		{ nodeStatusUpdateFrequency: '20s' },
		{ nodeStatusMs: 20_000, nodeReportMs: 20_000 },
	],
	[
		'the node: its images, and how fast the agent talks',
		{ registerNode: false, nodeStatusMaxImages: -1, kubeAPIQPS: 5, eventRecordQPS: 0, eventBurst: 7, volumeStatsAggPeriod: '-1s' },
		{
			node: {
				register: false,
				maxImages: -1,
				apiRate: { perSecond: 5, burst: 100 },
				eventRate: undefined,
				volumeStatsMs: -1000,
				resolvConf: '/etc/resolv.conf',
			},
		},
	],
	[
		'rates of zero',
		{ kubeAPIQPS: 0, kubeAPIBurst: 0, eventBurst: 0 },
		{ node: { apiRate: { perSecond: 5, burst: 100 }, eventRate: { perSecond: 50, burst: 100 } } },
	],
	[
		'zeroes that ask for the default',
		{ maxPods: 0, port: 0, nodeLeaseDurationSeconds: 0, registryBurst: 0, podPidsLimit: -7, imagePullCredentialsVerificationPolicy: '' },
		{
			...{ maxPods: undefined, port: undefined, leaseSeconds: 40, resources: { podPidsLimit: -1 } },
			imagePulls: { pulls: { burst: 10 }, verification: 'NeverVerifyPreloadedImages' },
		},
	],
	['logs', { containerLogMaxSize: '1Mi', containerLogMaxFiles: 2 }, { logs: { maxBytes: 2 ** 20, maxFiles: 2, monitorMs: 10_000 } }],
] as const)
	test(`settingsOf(): ${name}`, (t) => t.like(settingsOf(given), want as object));

test('what was configured is echoed, gone by, and told of when it changes nothing', (t) => {
	const given = {
		apiVersion: 'x',
		kind: 'y',
		maxPods: 7,
		clusterDNS: ['1.1.1.1'],
		address: '127.0.0.1',
		hairpinMode: 'none',
		evictionHard: { 'memory.available': '1Mi' },
	};
	const settings = settingsOf(given);
	const options = withSettings(
		{ clusterDns: [], clusterDomain: 'c', port: 1, podLogsDir: '/l', cgroupParent: '' } as unknown as AgentOptions,
		settings,
	);
	t.like(options, { maxPods: 7, clusterDns: ['1.1.1.1'], bindAddress: '127.0.0.1', port: 1, podLogsDir: '/l' });
	t.is(options.containerLogsDir, undefined);
	t.is(withSettings(options, settingsOf({ podLogsDir: '/var/log/pods' })).containerLogsDir, '/var/log/containers');
	const { kubeletconfig } = configz(options) as { readonly kubeletconfig: Record<string, unknown> };
	t.like(kubeletconfig, { maxPods: 7, clusterDNS: ['1.1.1.1'], address: '127.0.0.1', hairpinMode: 'none', syncFrequency: '1m0s' });
	t.deepEqual(kubeletconfig['evictionHard'], { 'memory.available': '1Mi' }, 'a list of thresholds stands for itself');
	t.false('apiVersion' in kubeletconfig || 'kind' in kubeletconfig);
	t.deepEqual(withoutEffect(given), ['hairpinMode']);
});

test('processors that are reserved by number stand for what is reserved of them by amount', (t) => {
	const reserved = { kubeReserved: { cpu: '1', memory: '1Gi' }, systemReserved: { cpu: '1' } };
	const { resources, placement } = settingsOf({ ...reserved, reservedSystemCPUs: '0,2-3' });
	t.deepEqual([resources.kubeReserved, resources.systemReserved], [{ memory: '1Gi' }, { cpu: '3' }]);
	t.deepEqual(placement.reservedCpus, [0, 2, 3]);
	t.deepEqual(settingsOf(reserved).resources.systemReserved, { cpu: '1' });
});

for (const [name, tracing, want] of [
	['nothing', undefined, undefined],
	['no rate: nothing is sampled', { endpoint: 'a:1' }, undefined],
	["no place: OTLP's own", { samplingRatePerMillion: 5 }, { endpoint: 'localhost:4317', perMillion: 5 }],
	['a place', { endpoint: 'a:1', samplingRatePerMillion: 5 }, { endpoint: 'a:1', perMillion: 5 }],
	["a place as gRPC's names have it", { endpoint: 'dns:///a:1', samplingRatePerMillion: 5 }, { endpoint: 'a:1', perMillion: 5 }],
	['a socket', { endpoint: 'unix:///a', samplingRatePerMillion: 5 }, { endpoint: 'unix:///a', perMillion: 5 }],
] as const)
	test(`spans: ${name}`, (t) => t.deepEqual(settingsOf(tracing === undefined ? {} : { tracing }).node.tracing, want));
