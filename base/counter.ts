/** A counter for hot paths: a series is looked up once and then counts without making keys, as prom-client's does for each value. */
import type { Metric, Registry } from 'prom-client';

interface Options {
	readonly name: string;
	readonly help: string;
	readonly registers: readonly Registry[];
}

type Labels = Readonly<Record<string, string>>;

export class Count {
	readonly labels: Labels;
	value = 0;

	constructor(labels: Labels) {
		this.labels = labels;
	}
}

/** Series that have counted nothing yet are not shown. */
export class SeriesCounter {
	readonly name: string;
	readonly #help: string;
	readonly #series: Count[] = [];

	constructor({ name, help, registers }: Options) {
		this.name = name;
		this.#help = help;
		for (const registry of registers) registry.registerMetric(this as unknown as Metric);
	}

	/** A new series; whoever asks keeps it. */
	series(labels: Labels): Count {
		const made = new Count(labels);
		this.#series.push(made);
		return made;
	}

	/** What the registry writes out. */
	get(): Promise<object> {
		const values = this.#series.filter(({ value }) => value > 0).map(({ labels, value }) => ({ labels, value }));
		return Promise.resolve({ name: this.name, help: this.#help, type: 'counter', values, aggregator: 'sum' });
	}

	reset(): void {
		for (const one of this.#series) one.value = 0;
	}
}
