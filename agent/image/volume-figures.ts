/** Figures of image volumes, under upstream's names. */
import { Counter, type Registry } from '../../base/metrics.ts';

export class ImageVolumeFigures {
	readonly requested: Counter;
	readonly mounted: Counter;
	readonly errors: Counter;

	constructor(registry: Registry) {
		const counter = (name: string, help: string): Counter =>
			new Counter({ name: `kubelet_image_volume_${name}_total`, help: `[BETA] ${help}`, registers: [registry] });
		this.requested = counter('requested', 'Number of requested image volumes.');
		this.mounted = counter('mounted_succeed', 'Number of successful image volume mounts.');
		this.errors = counter('mounted_errors', 'Number of failed image volume mounts.');
	}
}
