/** What a KubeletConfiguration says of the Node, of the host, and of how fast the agent may talk. Pure. */
import { parseDuration } from '../../api/time.ts';
import type { RequestRate } from '../../client/rate-limit.ts';
import { ID_UNIT } from '../users/id-range.ts';
import type { KubeletConfiguration } from './configuration.ts';

export interface NodeSettings {
	/** False: somebody else makes the Node. */
	readonly register: boolean;
	readonly providerId: string | undefined;
	/** In the Node's status; -1: all. */
	readonly maxImages: number;
	/** 0: no limit beside maxPods. */
	readonly podsPerCore: number;
	/** Upstream does so unless told; this agent runs on machines as they are, and does so when told. */
	readonly failSwapOn: boolean;
	readonly failCgroupV1: boolean;
	/** Chains of iptables for others; upstream makes them unless told. */
	readonly packetChains: boolean;
	/** The kernel must be set as upstream wants it. */
	readonly protectKernelDefaults: boolean;
	/** Of the agent's process; undefined: as it was started. */
	readonly oomScoreAdj: number | undefined;
	/** How many files the agent's process may have open; undefined: as it was started. */
	readonly maxOpenFiles: number | undefined;
	/** The host's resolver, '' for none. */
	readonly resolvConf: string;
	/** Undefined: any; it is the API server that keeps clients in bounds. */
	readonly apiRate: RequestRate | undefined;
	readonly eventRate: RequestRate | undefined;
	/** Negative: drivers are not asked about volumes by themselves. */
	readonly volumeStatsMs: number;
	/** Of most calls of the runtime. */
	readonly runtimeRequestMs: number;
	/** Containers that name no seccomp profile have the runtime's. */
	readonly seccompDefault: boolean;
	/** Where spans go, and how many of a million; undefined: none are made. */
	readonly tracing: { readonly endpoint: string; readonly perMillion: number } | undefined;
	/** Users and groups of a pod that has its own. */
	readonly idsPerPod: number;
}

export const NODE_FIELDS: readonly string[] = [
	...['registerNode', 'providerID', 'nodeStatusMaxImages', 'podsPerCore', 'failSwapOn', 'failCgroupV1', 'protectKernelDefaults'],
	...['oomScoreAdj', 'resolvConf', 'kubeAPIQPS', 'kubeAPIBurst', 'eventRecordQPS', 'eventBurst', 'volumeStatsAggPeriod'],
	...['seccompDefault', 'userNamespaces', 'containerRuntimeEndpoint', 'enableControllerAttachDetach', 'runtimeRequestTimeout', 'tracing'],
	...['maxOpenFiles', 'makeIPTablesUtilChains'],
];

/** Upstream's. */
const RATE: RequestRate = { perSecond: 50, burst: 100 };
/** What client-go makes of a zero. */
const ZERO_PER_SECOND = 5;
const MINUTE_MS = 60_000;
/** OTLP's own place. */
const COLLECTOR = 'localhost:4317';
const MILLION = 1_000_000;

export function nodeSettingsOf(given: KubeletConfiguration): NodeSettings {
	const flag = (field: string, unlessTold: boolean): boolean => (given[field] as boolean | undefined) ?? unlessTold;
	const number = (field: string): number | undefined => given[field] as number | undefined;
	/** A zero asks for the default. */
	const ms = (field: string, defaultMs: number): number =>
		Number(parseDuration((given[field] as string | undefined) ?? '0s') / 1_000_000n) || defaultMs;
	const rate = (perSecond: number | undefined, burst: number | undefined): RequestRate | undefined =>
		perSecond === undefined && burst === undefined
			? undefined
			: { perSecond: perSecond === 0 ? ZERO_PER_SECOND : (perSecond ?? RATE.perSecond), burst: burst || RATE.burst };
	return {
		register: flag('registerNode', true),
		providerId: (given['providerID'] as string | undefined) || undefined,
		maxImages: number('nodeStatusMaxImages') ?? 50,
		podsPerCore: number('podsPerCore') ?? 0,
		failSwapOn: flag('failSwapOn', false),
		failCgroupV1: flag('failCgroupV1', false),
		packetChains: flag('makeIPTablesUtilChains', false),
		protectKernelDefaults: flag('protectKernelDefaults', false),
		oomScoreAdj: number('oomScoreAdj'),
		maxOpenFiles: number('maxOpenFiles') || undefined,
		resolvConf: (given['resolvConf'] as string | undefined) ?? '/etc/resolv.conf',
		apiRate: rate(number('kubeAPIQPS'), number('kubeAPIBurst')),
		// Upstream: 0 asks for no limit.
		eventRate: number('eventRecordQPS') === 0 ? undefined : rate(number('eventRecordQPS'), number('eventBurst')),
		volumeStatsMs: ms('volumeStatsAggPeriod', MINUTE_MS),
		runtimeRequestMs: ms('runtimeRequestTimeout', 2 * MINUTE_MS),
		seccompDefault: flag('seccompDefault', false),
		tracing: tracingOf(given),
		idsPerPod: idsPerPodIn(given) || ID_UNIT,
	};
}

/** As upstream, without a rate nothing is sampled. */
function tracingOf(config: KubeletConfiguration): NodeSettings['tracing'] {
	const { endpoint, samplingRatePerMillion: perMillion = 0 } = tracingIn(config) ?? {};
	if (perMillion <= 0) return undefined;
	return { endpoint: (endpoint || COLLECTOR).replace(/^dns:\/\/[^/]*\//, '').replace(/^dns:\/\//, ''), perMillion };
}

function tracingIn(config: KubeletConfiguration): { readonly endpoint?: string; readonly samplingRatePerMillion?: number } | undefined {
	return config['tracing'] as ReturnType<typeof tracingIn>;
}

function idsPerPodIn(config: KubeletConfiguration): number | undefined {
	return (config['userNamespaces'] as { readonly idsPerPod?: number } | undefined)?.idsPerPod;
}

/** Bounds, and what cannot be done. */
export function nodeFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	for (const field of ['eventRecordQPS', 'eventBurst', 'kubeAPIQPS', 'kubeAPIBurst', 'podsPerCore'])
		if (((config[field] as number | undefined) ?? 0) < 0)
			faults.push(`invalid configuration: ${field} ${String(config[field])} must not be a negative number`);
	if (((config['nodeStatusMaxImages'] as number | undefined) ?? 0) < -1)
		faults.push(`invalid configuration: nodeStatusMaxImages ${String(config['nodeStatusMaxImages'])} must be -1 or greater`);
	if (Math.abs((config['oomScoreAdj'] as number | undefined) ?? 0) > 1000)
		faults.push(`invalid configuration: oomScoreAdj ${String(config['oomScoreAdj'])} must be between -1000 and 1000, inclusive`);
	if (config['enableControllerAttachDetach'] === false)
		faults.push('enableControllerAttachDetach: false is not supported: the attach-detach controller attaches volumes');
	if (config['runOnce'] === true) faults.push('runOnce is not supported');
	const { endpoint = '', samplingRatePerMillion: rate = 0 } = tracingIn(config) ?? {};
	if (rate < 0) faults.push(`tracing.samplingRatePerMillion: Invalid value: ${rate}: sampling rate must be positive`);
	if (rate > MILLION)
		faults.push(
			`tracing.samplingRatePerMillion: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`,
		);
	const scheme = /^([^/:]+):\/\//.exec(endpoint)?.[1] ?? 'dns';
	if (!['dns', 'unix', 'unix-abstract'].includes(scheme))
		faults.push(
			`tracing.endpoint: Invalid value: "${endpoint}": unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
		);
	const ids = idsPerPodIn(config);
	if (ids !== undefined && ids < ID_UNIT) faults.push(`invalid configuration: userNamespaces.idsPerPod must not be less than ${ID_UNIT}`);
	else if (ids !== undefined && ids % ID_UNIT !== 0)
		faults.push(`invalid configuration: userNamespaces.idsPerPod must be a multiple of ${ID_UNIT}`);
	else if (ids !== undefined && ids >= 2 ** 32)
		faults.push(`invalid configuration: userNamespaces.idsPerPod must not be more than ${2 ** 32 - 1}`);
	return faults;
}
