/** Volumes in numbers, under upstream's names and those of its plugins. */
import type { PersistentVolumeSpec, Pod, Volume } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import type { Clock } from '../../base/clock.ts';
import { Counter, DEFAULT_BUCKETS, Gauge, Histogram, type Registry } from '../../base/metrics.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import type { Family } from '../server/exposition.ts';

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** Upstream's plugins by the field that names a volume's source. */
const PLUGINS: Readonly<Record<string, string>> = {
	emptyDir: 'empty-dir',
	hostPath: 'host-path',
	configMap: 'configmap',
	secret: 'secret',
	downwardAPI: 'downward-api',
	projected: 'projected',
	image: 'image',
	nfs: 'nfs',
	local: 'local-volume',
};

/** Pure: "kubernetes.io/secret", "kubernetes.io/csi:DRIVER"; "N/A" where nobody knows the plugin. */
export function pluginOf(source: Volume | PersistentVolumeSpec): string {
	const driver = source.csi?.driver ?? ('ephemeral' in source || 'persistentVolumeClaim' in source ? undefined : '');
	if (driver === undefined) return 'N/A';
	if (driver !== '') return `kubernetes.io/csi:${driver}`;
	const name = Object.keys(source).flatMap((key) => PLUGINS[key] ?? [])[0];
	return name === undefined ? 'N/A' : `kubernetes.io/${name}`;
}

export class VolumeOperationFigures {
	readonly #operations: Histogram;
	readonly #whole: Histogram;
	readonly #calls: Histogram;
	readonly #measurements: Histogram;
	readonly #reconstructed: Counter;
	readonly #notReconstructed: Counter;
	readonly #forced: Counter;
	readonly #notForced: Counter;
	readonly #orphans: Gauge;
	readonly #failedOrphans: Gauge;
	/** Volumes of an earlier life of which nothing could be read, by pod. */
	readonly #unread = new Map<string, number>();
	/** By pod and volume: the plugins of those that are there. */
	readonly #there = new Map<string, Map<string, string>>();

	constructor(registry: Registry) {
		const registers = [registry];
		const histogram = (name: string, help: string, labelNames: readonly string[], buckets = BUCKETS): Histogram =>
			new Histogram({ name, help: `[ALPHA] ${help}`, labelNames: [...labelNames], buckets: [...buckets], registers });
		this.#operations = histogram('storage_operation_duration_seconds', 'Storage operation duration', [
			'volume_plugin',
			'operation_name',
			'status',
			'migrated',
		]);
		this.#whole = histogram('volume_operation_total_seconds', 'Storage operation end to end duration in seconds', [
			'plugin_name',
			'operation_name',
		]);
		this.#calls = histogram('csi_operations_seconds', 'Container Storage Interface operation duration with gRPC error code status total', [
			'driver_name',
			'method_name',
			'grpc_status_code',
			'migrated',
		]);
		this.#measurements = histogram(
			'kubelet_volume_metric_collection_duration_seconds',
			'Duration in seconds to calculate volume stats',
			['metric_source'],
			DEFAULT_BUCKETS,
		);
		const counter = (name: string, help: string): Counter =>
			new Counter({ name, help: `[ALPHA] The number of volumes that ${help}`, registers });
		this.#reconstructed = counter(
			'reconstruct_volume_operations_total',
			'were attempted to be reconstructed from the operating system during kubelet startup. This includes both successful and failed reconstruction.',
		);
		this.#notReconstructed = counter(
			'reconstruct_volume_operations_errors_total',
			'failed reconstruction from the operating system during kubelet startup.',
		);
		this.#forced = counter(
			'force_cleaned_failed_volume_operations_total',
			'were force cleaned after their reconstruction failed during kubelet startup. This includes both successful and failed cleanups.',
		);
		this.#notForced = counter(
			'force_cleaned_failed_volume_operation_errors_total',
			'failed force cleanup after their reconstruction failed during kubelet startup.',
		);
		const orphans = (name: string, help: string): Gauge =>
			new Gauge({ name: `kubelet_orphan_pod_cleaned_volumes${name}`, help: `[ALPHA] The ${help} in the last periodic sweep.`, registers });
		this.#orphans = orphans('', 'total number of orphaned Pods whose volumes were cleaned');
		this.#failedOrphans = orphans('_errors', 'number of orphaned Pods whose volumes failed to be cleaned');
	}

	/** An earlier life of the agent has left this volume. @param isRead whether all is known of it */
	reconstructed(uid: string, isRead: boolean): void {
		this.#reconstructed.inc();
		if (isRead) return;
		this.#notReconstructed.inc();
		this.#unread.set(uid, (this.#unread.get(uid) ?? 0) + 1);
	}

	/** Folders of pods that nobody knows, as they were last looked for. */
	swept(pods: number, failed: number): void {
		this.#orphans.set(pods);
		this.#failedOrphans.set(failed);
	}

	/** What a volume holds, found out this way: "du", "statfs", or the name of a driver. */
	async measured<T>(metric_source: string, clock: Clock, work: Promise<T>): Promise<T> {
		const from = clock.monotonic();
		return work.finally(() => this.#measurements.observe({ metric_source }, (clock.monotonic() - from) / 1000));
	}

	/** A driver has answered, or has not. */
	called(driver_name: string, { method, code, ms }: FinishedCall): void {
		this.#calls.observe({ driver_name, method_name: method, grpc_status_code: code, migrated: 'false' }, ms / 1000);
	}

	mounted(uid: string, volume: string, plugin: string, seconds: number): void {
		this.#observe('volume_mount', plugin, 'success', seconds);
		this.#whole.observe({ plugin_name: plugin, operation_name: 'overall_volume_mount' }, seconds);
		this.#unread.delete(uid); // a pod that is there has made its volumes known anew
		const known = this.#there.get(uid) ?? new Map<string, string>();
		this.#there.set(uid, known.set(volume, plugin));
	}

	notMounted(plugin: string, seconds: number): void {
		this.#observe('volume_mount', plugin, 'fail-unknown', seconds);
	}

	/** All of a pod's volumes are gone, or could not be taken down. */
	unmounted(uid: string, succeeded: boolean, seconds: number): void {
		for (const plugin of this.#there.get(uid)?.values() ?? [])
			this.#observe('volume_unmount', plugin, succeeded ? 'success' : 'fail-unknown', seconds);
		const unread = this.#unread.get(uid) ?? 0;
		if (unread > 0) this.#forced.inc(unread);
		if (unread > 0 && !succeeded) this.#notForced.inc(unread);
		if (!succeeded) return;
		this.#there.delete(uid);
		this.#unread.delete(uid);
	}

	/** How many are there, and how many should be. @param bound the pods of this node */
	total(bound: readonly Pod[]): Family {
		const wanted = bound
			.filter((pod) => !isTerminal(pod))
			.flatMap(({ metadata, spec }) => {
				const there = this.#there.get(metadata.uid ?? '');
				return (spec?.volumes ?? []).map((volume) => there?.get(volume.name) ?? pluginOf(volume));
			});
		const there = [...this.#there.values()].flatMap((volumes) => [...volumes.values()]);
		const samples = [
			['actual_state_of_world', there],
			['desired_state_of_world', wanted],
		] as const;
		return {
			name: 'volume_manager_total_volumes',
			type: 'gauge',
			help: '[ALPHA] Number of volumes in Volume Manager',
			samples: samples.flatMap(([state, plugins]) =>
				[...new Set(plugins)].map((plugin_name) => ({
					labels: { plugin_name, state },
					value: plugins.filter((p) => p === plugin_name).length,
				})),
			),
		};
	}

	#observe(operation_name: string, volume_plugin: string, status: 'success' | 'fail-unknown', seconds: number): void {
		this.#operations.observe({ volume_plugin, operation_name, status, migrated: 'false' }, seconds);
	}
}
