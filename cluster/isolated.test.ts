import test from 'ava';
import type { PartConfigs } from './parts/config.ts';
import { stopMsOf } from './isolated.ts';

for (const [part, flags, want] of [
	['agent', undefined, 10_000],
	['apiserver', undefined, 70_000],
	['apiserver', { 'shutdown-delay-duration': '20s', 'shutdown-watch-termination-grace-period': '1m30s' }, 120_000],
] as const)
	test(`${part} with ${JSON.stringify(flags ?? {})} has ${want} ms to stop`, (t) => {
		const configs = { apiserver: flags === undefined ? {} : { flags } } as unknown as PartConfigs;
		t.is(stopMsOf(part, configs), want);
	});
