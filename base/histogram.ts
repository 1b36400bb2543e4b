/** A histogram for hot paths: a series is looked up once and then counts without making keys or closures, as prom-client's does for each value. */
import type { Metric, Registry } from 'prom-client';

interface Options {
	readonly name: string;
	readonly help: string;
	/** Upper bounds, ascending. */
	readonly buckets: readonly number[];
	readonly registers: readonly Registry[];
}

export class Series {
	readonly labels: Readonly<Record<string, string>>;
	readonly #bounds: readonly number[];
	/** One more than there are bounds: what lies above all of them. */
	readonly #counts: number[];
	#sum = 0;

	constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
		this.labels = labels;
		this.#bounds = bounds;
		this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
	}

	observe(value: number): void {
		let i = 0;
		while (i < this.#bounds.length && value > (this.#bounds[i] as number)) i++;
		this.#counts[i] = (this.#counts[i] as number) + 1;
		this.#sum += value;
	}

	/** It has seen something, or is the only one there can be. */
	get isShown(): boolean {
		return this.#counts.some((count) => count > 0) || Object.keys(this.labels).length === 0;
	}

	reset(): void {
		this.#counts.fill(0);
		this.#sum = 0;
	}

	/** As the exposition format has it: buckets that include the smaller ones, then sum and count. */
	*samples(name: string): Generator<Sample> {
		let count = 0;
		for (const [i, bound] of [...this.#bounds, '+Inf'].entries()) {
			count += this.#counts[i] as number;
			yield { metricName: `${name}_bucket`, labels: { le: bound, ...this.labels }, value: count };
		}
		yield { metricName: `${name}_sum`, labels: this.labels, value: this.#sum };
		yield { metricName: `${name}_count`, labels: this.labels, value: count };
	}
}

interface Sample {
	readonly metricName: string;
	readonly labels: Readonly<Record<string, string | number>>;
	readonly value: number;
}

export class SeriesHistogram {
	readonly name: string;
	readonly #options: Options;
	readonly #series: Series[] = [];

	constructor(options: Options) {
		this.name = options.name;
		this.#options = options;
		for (const registry of options.registers) registry.registerMetric(this as unknown as Metric);
	}

	/** A new series; whoever asks keeps it. */
	series(labels: Readonly<Record<string, string>>): Series {
		const made = new Series(labels, this.#options.buckets);
		this.#series.push(made);
		return made;
	}

	/** What the registry writes out. */
	get(): Promise<object> {
		const { name, help } = this.#options;
		const values = this.#series.flatMap((series) => (series.isShown ? [...series.samples(name)] : []));
		return Promise.resolve({ name, help, type: 'histogram', values, aggregator: 'sum' });
	}

	reset(): void {
		for (const one of this.#series) one.reset();
	}
}
