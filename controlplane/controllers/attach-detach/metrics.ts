/** The controller's metrics under upstream's names. */
import type { PersistentVolume } from '../../../api/gen/types.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import type { Wanted } from './wanted.ts';

export interface AttachDetachMetrics {
	forced(reason: 'timeout' | 'out-of-service'): void;
}

export interface Counts {
	/** The nodes with what their pods need. */
	nodes(): readonly { readonly name: string; readonly wanted: ReadonlyMap<string, Wanted> }[];
	/** Drivers of the attachments. */
	attachers(): readonly string[];
}

const plugin = (driver: string): string => `kubernetes.io/csi:${driver}`;
const driverOf = ({ spec }: PersistentVolume): string => spec?.csi?.driver ?? '';

export function attachDetachMetrics(registry: Registry, { nodes, attachers }: Counts): AttachDetachMetrics {
	const registers = [registry];
	const forced = new Counter({
		name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
		help: 'Number of times the A/D Controller performed a forced detach',
		labelNames: ['reason'],
		registers,
	});
	const used = new Gauge({
		...{ name: 'storage_count_attachable_volumes_in_use', help: 'Measure number of volumes in use', registers },
		labelNames: ['node', 'volume_plugin'],
		collect() {
			this.reset();
			for (const { name, wanted } of nodes())
				for (const { volume, pods } of wanted.values()) this.inc({ node: name, volume_plugin: plugin(driverOf(volume)) }, pods.length);
		},
	});
	const total = new Gauge({
		...{ name: 'attachdetach_controller_total_volumes', help: 'Number of volumes in A/D Controller', registers },
		labelNames: ['plugin_name', 'state'],
		collect() {
			this.reset();
			for (const { wanted } of nodes())
				for (const { volume } of wanted.values()) this.inc({ plugin_name: plugin(driverOf(volume)), state: 'desired_state_of_world' });
			for (const driver of attachers()) this.inc({ plugin_name: plugin(driver), state: 'actual_state_of_world' });
		},
	});
	used.reset();
	total.reset();
	return { forced: (reason) => forced.inc({ reason }) };
}
