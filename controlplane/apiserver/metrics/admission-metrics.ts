/** How long admission takes, plugin by plugin and all of them together, under upstream's names. */
import type { Clock } from '../../../base/clock.ts';
import { SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe } from '../contracts.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export type AdmissionType = 'admit' | 'validate';

/** The series of one plugin, or of all of them together, found without making a key. */
class Timer {
	readonly #clock: Clock;
	readonly #make: (operation: string, rejected: boolean) => Series;
	readonly #accepted = new Map<string, Series>();
	readonly #rejected = new Map<string, Series>();

	constructor(clock: Clock, make: (operation: string, rejected: boolean) => Series) {
		this.#clock = clock;
		this.#make = make;
	}

	/** What is done at once is timed at once. */
	time(operation: string, work: () => Maybe<void>): Maybe<void> {
		const started = this.#clock.monotonic();
		let working: Maybe<void>;
		try {
			working = work();
		} catch (error) {
			this.#observe(operation, true, started);
			throw error;
		}
		if (working !== undefined) return this.#follow(operation, working, started);
		this.#observe(operation, false, started);
	}

	async #follow(operation: string, working: Promise<void>, started: number): Promise<void> {
		let rejected = true;
		try {
			await working;
			rejected = false;
		} finally {
			this.#observe(operation, rejected, started);
		}
	}

	#observe(operation: string, rejected: boolean, started: number): void {
		const known = rejected ? this.#rejected : this.#accepted;
		let series = known.get(operation);
		if (series === undefined) known.set(operation, (series = this.#make(operation, rejected)));
		series.observe((this.#clock.monotonic() - started) / 1000);
	}
}

export class AdmissionMetrics {
	readonly #clock: Clock;
	readonly #controllers: SeriesHistogram;
	readonly #steps: Readonly<Record<AdmissionType, Timer>>;

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#controllers = new SeriesHistogram({
			name: 'apiserver_admission_controller_admission_duration_seconds',
			help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
			buckets: SECONDS,
			registers,
		});
		const steps = new SeriesHistogram({
			name: 'apiserver_admission_step_admission_duration_seconds',
			help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
			buckets: SECONDS,
			registers,
		});
		const step = (type: AdmissionType): Timer =>
			new Timer(clock, (operation, rejected) => steps.series({ operation, rejected: String(rejected), type }));
		this.#steps = { admit: step('admit'), validate: step('validate') };
	}

	/** The plugin, timed. */
	timed(plugin: AdmissionPlugin): AdmissionPlugin {
		const { name, mutate, validate } = plugin;
		const timer = (type: AdmissionType): Timer =>
			new Timer(this.#clock, (operation, rejected) => this.#controllers.series({ name, operation, rejected: String(rejected), type }));
		const [admit, check] = [timer('admit'), timer('validate')];
		return {
			name,
			handles: (attributes) => plugin.handles(attributes),
			...(mutate === undefined
				? {}
				: { mutate: (attributes, signal) => admit.time(attributes.operation, () => mutate.call(plugin, attributes, signal)) }),
			...(validate === undefined
				? {}
				: { validate: (attributes, signal) => check.time(attributes.operation, () => validate.call(plugin, attributes, signal)) }),
		};
	}

	/** All plugins of one kind. */
	step(type: AdmissionType, { operation }: AdmissionAttributes, work: () => Maybe<void>): Maybe<void> {
		return this.#steps[type].time(operation, work);
	}
}
