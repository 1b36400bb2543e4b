/** The binder's metrics under upstream's names. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { classOfClaim } from '../../../api/storage/class.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import { pluginName } from './plugin-name.ts';

export interface BinderMetrics {
	readonly retroactive: Counter;
	readonly retroactiveErrors: Counter;
}

interface Lists {
	volumes(): readonly PersistentVolume[];
	claims(): readonly PersistentVolumeClaim[];
}

export function binderMetrics(registry: Registry, { volumes, claims }: Lists): BinderMetrics {
	const registers = [registry];
	const gauge = (name: string, help: string, labelNames: readonly string[], count: (add: (...values: string[]) => void) => void): void => {
		const made = new Gauge({
			...{ name: `pv_collector_${name}`, help, labelNames: [...labelNames], registers },
			collect() {
				this.reset();
				count((...values) => this.inc(Object.fromEntries(labelNames.map((label, i) => [label, values[i] ?? '']))));
			},
		});
		made.reset();
	};
	const ofVolumes = (isBound: boolean) => (add: (storageClass: string) => void) => {
		for (const { status, spec } of volumes()) if ((status?.phase === 'Bound') === isBound) add(spec?.storageClassName ?? '');
	};
	const ofClaims = (isBound: boolean) => (add: (...values: string[]) => void) => {
		for (const claim of claims())
			if ((claim.status?.phase === 'Bound') === isBound)
				add(claim.metadata.namespace ?? '', classOfClaim(claim), claim.spec?.volumeAttributesClassName ?? '');
	};
	const claimLabels = ['namespace', 'storage_class', 'volume_attributes_class'];
	gauge('total_pv_count', 'Gauge measuring total number of persistent volumes', ['plugin_name', 'volume_mode'], (add) => {
		for (const volume of volumes()) add(pluginName(volume), volume.spec?.volumeMode ?? 'Filesystem');
	});
	gauge('bound_pv_count', 'Gauge measuring number of persistent volume currently bound', ['storage_class'], ofVolumes(true));
	gauge('unbound_pv_count', 'Gauge measuring number of persistent volume currently unbound', ['storage_class'], ofVolumes(false));
	gauge('bound_pvc_count', 'Gauge measuring number of persistent volume claim currently bound', claimLabels, ofClaims(true));
	gauge('unbound_pvc_count', 'Gauge measuring number of persistent volume claim currently unbound', claimLabels, ofClaims(false));
	const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
	return {
		retroactive: counter(
			'retroactive_storageclass_total',
			'Total number of retroactive StorageClass assignments to persistent volume claim',
		),
		retroactiveErrors: counter(
			'retroactive_storageclass_errors_total',
			'Total number of failed retroactive StorageClass assignments to persistent volume claim',
		),
	};
}
