/** What the agent goes by of a KubeletConfiguration, in its own units, with upstream's defaults. Pure. */
import type { Taint } from '../../api/gen/types.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { parseDuration } from '../../api/time.ts';
import { IMAGE_FIELDS, imageSettingsOf, type ImageSettings } from './image-settings.ts';
import type { KubeletConfiguration } from './load.ts';
import { PLACEMENT_FIELDS, placementSettingsOf, type PlacementSettings } from './placement-settings.ts';
import { NODE_FIELDS, nodeSettingsOf, type NodeSettings } from './node-settings.ts';
import { SHUTDOWN_FIELDS, shutdownSettingsOf, type ShutdownSettings } from './shutdown-settings.ts';
import { SERVER_FIELDS, serverSettingsOf, type ServerSettings } from './server-settings.ts';
import { RESOURCE_FIELDS, resourceSettingsOf, type ResourceSettings } from './resource-settings.ts';

export interface KubeletSettings {
	/** What was given, for /configz. */
	readonly given: KubeletConfiguration;
	readonly syncMs: number;
	/** No crash-loop back-off is longer. */
	readonly maxRestartMs: number;
	/** Manifests of static pods: a file, or a folder of them. */
	readonly staticPodPath: string | undefined;
	readonly fileCheckMs: number;
	readonly staticPodUrl: string | undefined;
	readonly staticPodUrlHeader: Readonly<Record<string, readonly string[]>>;
	readonly httpCheckMs: number;
	readonly maxPods: number | undefined;
	readonly clusterDns: readonly string[] | undefined;
	readonly clusterDomain: string | undefined;
	readonly address: string | undefined;
	readonly port: number | undefined;
	readonly podLogsDir: string | undefined;
	readonly logs: { readonly maxBytes: number; readonly maxFiles: number; readonly monitorMs: number; readonly workers: number };
	/** maxAgeMs 0: images may stay for ever. */
	readonly images: { readonly highPercent: number; readonly lowPercent: number; readonly minAgeMs: number; readonly maxAgeMs: number };
	readonly resources: ResourceSettings;
	readonly nodeStatusMs: number;
	readonly nodeReportMs: number;
	readonly leaseSeconds: number;
	readonly registerWithTaints: readonly Taint[];
	readonly server: ServerSettings;
	readonly shutdown: ShutdownSettings;
	readonly node: NodeSettings;
	readonly imagePulls: ImageSettings;
	readonly placement: PlacementSettings;
	readonly allowedUnsafeSysctls: readonly string[];
}

/** Fields that change what the agent does. */
const EFFECTIVE: ReadonlySet<string> = new Set([
	...['apiVersion', 'kind', 'syncFrequency', 'crashLoopBackOff', 'staticPodPath', 'fileCheckFrequency', 'staticPodURL'],
	...['staticPodURLHeader', 'httpCheckFrequency', 'maxPods', 'clusterDNS', 'clusterDomain', 'address', 'port', 'podLogsDir'],
	...['containerLogMaxSize', 'containerLogMaxFiles', 'containerLogMonitorInterval', 'imageGCHighThresholdPercent'],
	...['imageGCLowThresholdPercent', 'imageMinimumGCAge', 'nodeStatusUpdateFrequency', 'nodeStatusReportFrequency'],
	...SERVER_FIELDS,
	...SHUTDOWN_FIELDS,
	...NODE_FIELDS,
	...IMAGE_FIELDS,
	...PLACEMENT_FIELDS,
	'allowedUnsafeSysctls',
	...['nodeLeaseDurationSeconds', 'registerWithTaints', 'imageMaximumGCAge', 'containerLogMaxWorkers'],
	...RESOURCE_FIELDS,
]);

/** The settings of an agent that was configured with nothing. */
export function settingsIn({ kubelet }: { readonly kubelet?: KubeletSettings }): KubeletSettings {
	return kubelet ?? DEFAULTS;
}

/** What was given and changes nothing here. */
export function withoutEffect(given: KubeletConfiguration): readonly string[] {
	return Object.keys(given).filter((field) => !EFFECTIVE.has(field));
}

/** @param given checked (check.ts) */
export function settingsOf(given: KubeletConfiguration = {}): KubeletSettings {
	const text = (field: string): string | undefined => (given[field] as string | undefined) || undefined;
	const number = (field: string): number | undefined => given[field] as number | undefined;
	/** As upstream, a zero asks for the default. */
	const duration = (value: unknown, defaultMs: number): number =>
		value === undefined ? defaultMs : Number(parseDuration(value as string) / 1_000_000n) || defaultMs;
	const crash = given['crashLoopBackOff'] as { readonly maxContainerRestartPeriod?: string } | undefined;
	const statusMs = duration(given['nodeStatusUpdateFrequency'], 10_000);
	return {
		given,
		syncMs: duration(given['syncFrequency'], 60_000),
		maxRestartMs: duration(crash?.maxContainerRestartPeriod, 300_000),
		staticPodPath: text('staticPodPath'),
		fileCheckMs: duration(given['fileCheckFrequency'], 20_000),
		staticPodUrl: text('staticPodURL'),
		staticPodUrlHeader: (given['staticPodURLHeader'] as Record<string, string[]> | undefined) ?? {},
		httpCheckMs: duration(given['httpCheckFrequency'], 20_000),
		// Where upstream's field is no pointer, a zero asks for the default.
		maxPods: number('maxPods') || undefined,
		clusterDns: given['clusterDNS'] as string[] | undefined,
		clusterDomain: text('clusterDomain'),
		address: text('address'),
		port: number('port') || undefined,
		podLogsDir: text('podLogsDir'),
		logs: {
			maxBytes: Number(parseQuantity(text('containerLogMaxSize') ?? '10Mi').nano / 1_000_000_000n),
			maxFiles: number('containerLogMaxFiles') ?? 5,
			monitorMs: duration(given['containerLogMonitorInterval'], 10_000),
			workers: number('containerLogMaxWorkers') ?? 1,
		},
		images: {
			highPercent: number('imageGCHighThresholdPercent') ?? 85,
			lowPercent: number('imageGCLowThresholdPercent') ?? 80,
			minAgeMs: duration(given['imageMinimumGCAge'], 120_000),
			maxAgeMs: duration(given['imageMaximumGCAge'], 0),
		},
		resources: resourceSettingsOf(given),
		nodeStatusMs: statusMs,
		// Upstream: who asks for another frequency and no period of reports gets that for both.
		nodeReportMs: duration(given['nodeStatusReportFrequency'], given['nodeStatusUpdateFrequency'] === undefined ? 300_000 : statusMs),
		leaseSeconds: number('nodeLeaseDurationSeconds') || 40,
		registerWithTaints: (given['registerWithTaints'] as Taint[] | undefined) ?? [],
		server: serverSettingsOf(given),
		shutdown: shutdownSettingsOf(given),
		node: nodeSettingsOf(given),
		imagePulls: imageSettingsOf(given),
		placement: placementSettingsOf(given),
		allowedUnsafeSysctls: (given['allowedUnsafeSysctls'] as string[] | undefined) ?? [],
	};
}

const DEFAULTS = settingsOf();
