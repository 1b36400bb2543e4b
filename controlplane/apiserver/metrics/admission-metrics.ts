/** How long admission takes, plugin by plugin and all of them together, under upstream's names. */
import type { Clock } from '../../../base/clock.ts';
import { SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../contracts.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export type AdmissionType = 'admit' | 'validate';

export class AdmissionMetrics {
	readonly #clock: Clock;
	readonly #controllers: SeriesHistogram;
	readonly #steps: SeriesHistogram;
	readonly #series = new Map<string, Series>();

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#controllers = new SeriesHistogram({
			name: 'apiserver_admission_controller_admission_duration_seconds',
			help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
			buckets: SECONDS,
			registers,
		});
		this.#steps = new SeriesHistogram({
			name: 'apiserver_admission_step_admission_duration_seconds',
			help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
			buckets: SECONDS,
			registers,
		});
	}

	/** The plugin, timed. */
	timed(plugin: AdmissionPlugin): AdmissionPlugin {
		const { name, mutate, validate } = plugin;
		return {
			name,
			handles: (attributes) => plugin.handles(attributes),
			...(mutate === undefined
				? {}
				: { mutate: (attributes, signal) => this.#time(name, 'admit', attributes, () => mutate.call(plugin, attributes, signal)) }),
			...(validate === undefined
				? {}
				: { validate: (attributes, signal) => this.#time(name, 'validate', attributes, () => validate.call(plugin, attributes, signal)) }),
		};
	}

	/** All plugins of one kind. */
	step(type: AdmissionType, attributes: AdmissionAttributes, work: () => Promise<void>): Promise<void> {
		return this.#time('', type, attributes, work);
	}

	/** @param name '' for all of them */
	async #time(name: string, type: AdmissionType, { operation }: AdmissionAttributes, work: () => Promise<void>): Promise<void> {
		const started = this.#clock.monotonic();
		let rejected = true;
		try {
			await work();
			rejected = false;
		} finally {
			this.#of(name, type, operation, rejected).observe((this.#clock.monotonic() - started) / 1000);
		}
	}

	#of(name: string, type: AdmissionType, operation: string, rejected: boolean): Series {
		const key = `${name}/${type}/${operation}/${rejected}`;
		let series = this.#series.get(key);
		if (series === undefined) {
			const labels = { operation, rejected: String(rejected), type };
			series = name === '' ? this.#steps.series(labels) : this.#controllers.series({ name, ...labels });
			this.#series.set(key, series);
		}
		return series;
	}
}
