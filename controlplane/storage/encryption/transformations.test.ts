import test from 'ava';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { parseEncryptionConfiguration } from './configuration.ts';
import type { Sealer } from './sealer.ts';
import { createSealing } from './sealing.ts';
import { envelopeMetrics, Transformations } from './transformations.ts';

const secret = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** A configuration that seals everything with the providers. */
const configuration = (providers: string): string =>
	`apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: ['*.*'], providers: ${providers}}]\n`;
const box = (...keys: readonly (readonly [name: string, byte: number])[]): string =>
	`{secretbox: {keys: [${keys.map(([name, byte]) => `{name: ${name}, secret: "${secret(byte)}"}`).join(', ')}]}}`;

const PLAIN = Buffer.from('plain');
const tries = (work: () => unknown): void => {
	try {
		work();
	} catch {
		// Only what is counted matters.
	}
};

for (const [name, providers, work, want] of [
	[
		'writing counts the provider and its key',
		`[${box(['b', 2])}]`,
		(own) => own.seal('/n', PLAIN),
		['to_storage b: OK', 'to_storage k8s:enc:secretbox:v1: OK'],
	],
	['writing plainly', '[{identity: {}}]', (own) => own.seal('/n', PLAIN), ['to_storage  OK']],
	[
		'reading',
		`[${box(['a', 1])}]`,
		(own, old) => own.open('/n', old.seal('/n', PLAIN)),
		['from_storage a: OK', 'from_storage k8s:enc:secretbox:v1: OK'],
	],
	['reading what is plain', `[${box(['a', 1])}, {identity: {}}]`, (own) => own.open('/n', PLAIN), ['from_storage identity OK']],
	['reading what nobody is for', `[${box(['a', 1])}]`, (own) => own.open('/n', PLAIN), ['from_storage unknown unknown-non-grpc']],
	[
		'reading what no key is for',
		`[${box(['b', 1])}]`,
		(own, old) => own.open('/n', old.seal('/n', PLAIN)),
		['from_storage k8s:enc:secretbox:v1: unknown-non-grpc', 'from_storage unknown unknown-non-grpc'],
	],
	[
		'reading with the wrong key of the name, and then the right one',
		`[${box(['a', 2])}, ${box(['a', 1])}]`,
		(own, old) => own.open('/n', old.seal('/n', PLAIN)),
		[
			'from_storage a: OK',
			'from_storage a: unknown-non-grpc',
			'from_storage k8s:enc:secretbox:v1: OK',
			'from_storage k8s:enc:secretbox:v1: unknown-non-grpc',
		],
	],
] as const satisfies readonly (readonly [string, string, (own: Sealer, old: Sealer) => unknown, readonly string[]])[])
	test(`transformations: ${name}`, async (t) => {
		const counted = new Transformations(new VirtualClock());
		const metrics = createMetrics();
		counted.register(metrics);
		const KEY = '/example.com/pandas/a/b';
		const old = createSealing(parseEncryptionConfiguration(configuration(`[${box(['a', 1])}]`)))(KEY) as Sealer;
		const own = createSealing(parseEncryptionConfiguration(configuration(providers)), counted)(KEY) as Sealer;
		tries(() => work(own, old));
		const line =
			/^apiserver_storage_transformation_operations_total\{resource="pandas.example.com",transformation_type="(.*)",transformer_prefix="(.*)",status="(.*)"\} 1$/gm;
		const text = await metrics.metrics();
		t.deepEqual([...text.matchAll(line)].map(([, ...found]) => found.join(' ')).sort(), [...want]);
		const durations = text.match(/^apiserver_storage_transformation_duration_seconds_count\{/gm) ?? [];
		t.is(durations.length, want.filter((one) => one.endsWith(' OK')).length, 'only what succeeded has taken a time');
	});

test('what only plugins do is there, and zero', async (t) => {
	const metrics = createMetrics();
	envelopeMetrics(metrics);
	const text = await metrics.metrics();
	for (const name of [
		'envelope_transformation_cache_misses_total',
		'data_key_generation_duration_seconds_count',
		'data_key_generation_failures_total',
	])
		t.regex(text, new RegExp(`^apiserver_storage_${name} 0$`, 'm'));
});
