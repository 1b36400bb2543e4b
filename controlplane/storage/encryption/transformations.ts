/** What was sealed and opened, under upstream's names (k8s.io/apiserver/pkg/storage/value/metrics.go). */
import type { Clock } from '../../../base/clock.ts';
import { Counter, Histogram, type Registry } from '../../../base/metrics.ts';

type Direction = 'to_storage' | 'from_storage';

/** One value that went to the store or came from it. */
export class Transformation {
	readonly #told: Transformations;
	readonly #resource: string;
	readonly #direction: Direction;
	readonly #startedAt: number;

	constructor(told: Transformations, resource: string, direction: Direction, startedAt: number) {
		this.#told = told;
		this.#resource = resource;
		this.#direction = direction;
		this.#startedAt = startedAt;
	}

	/** @param prefix of the provider ("k8s:enc:aescbc:v1:") or of its key ("key1:"), each of which counts by itself */
	ended(prefix: string, done: boolean): void {
		this.#told.count(this.#resource, this.#direction, prefix, done, this.#startedAt);
	}
}

export class Transformations {
	readonly #clock: Clock;
	readonly #operations = new Counter<'resource' | 'transformation_type' | 'transformer_prefix' | 'status'>({
		name: 'apiserver_storage_transformation_operations_total',
		help: "Total number of transformations. Successful transformation will have a status 'OK' and a varied status string when the transformation fails. The status, resource, and transformation_type fields can be used for alerting purposes. For example, you can monitor for encryption/decryption failures using the transformation_type (e.g., from_storage for decryption and to_storage for encryption). Additionally, these fields can be used to ensure that the correct transformers are applied to each resource.",
		labelNames: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
		registers: [],
	});
	readonly #seconds = new Histogram<'transformation_type' | 'transformer_prefix'>({
		name: 'apiserver_storage_transformation_duration_seconds',
		help: 'Latencies in seconds of value transformation operations.',
		labelNames: ['transformation_type', 'transformer_prefix'],
		buckets: doubling(25),
		registers: [],
	});

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** @param resource "secrets", "pandas.example.com" */
	begin(resource: string, direction: Direction): Transformation {
		return new Transformation(this, resource, direction, this.#clock.monotonic());
	}

	count(resource: string, direction: Direction, prefix: string, done: boolean, startedAt: number): void {
		const labels = { transformation_type: direction, transformer_prefix: prefix };
		this.#operations.inc({ resource, ...labels, status: done ? 'OK' : 'unknown-non-grpc' });
		if (done) this.#seconds.observe(labels, (this.#clock.monotonic() - startedAt) / 1000);
	}

	register(registry: Registry): void {
		registry.registerMetric(this.#operations);
		registry.registerMetric(this.#seconds);
	}
}

/** Keys that seal keys are a plugin's matter, of which there is none: nothing was ever counted. */
export function envelopeMetrics(registry: Registry): void {
	const registers = [registry];
	new Counter({
		...{ name: 'apiserver_storage_envelope_transformation_cache_misses_total', registers },
		help: 'Total number of cache misses while accessing key decryption key(KEK).',
	});
	new Histogram({
		...{ name: 'apiserver_storage_data_key_generation_duration_seconds', buckets: doubling(14), registers },
		help: 'Latencies in seconds of data encryption key(DEK) generation operations.',
	});
	new Counter({
		...{ name: 'apiserver_storage_data_key_generation_failures_total', registers },
		help: 'Total number of failed data encryption key(DEK) generation operations.',
	});
}

/** Bounds in seconds, from 5 µs. */
function doubling(count: number): number[] {
	return Array.from({ length: count }, (_, i) => 5e-6 * 2 ** i);
}
