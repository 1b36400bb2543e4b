/** Runtimes that give the list of statistics, and those that refuse it because of one sandbox that has ended. */
import test from 'ava';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import type { PodSandbox, PodSandboxStats } from '../../wire/gen/cri.ts';
import { sandboxStats } from './sandbox-stats.ts';

type Client = Parameters<typeof sandboxStats>[0];
type Answer = 'used' | ErrorCode;

const stats = (id: string) => ({ attributes: { id } }) as PodSandboxStats;
const refusal = (code: ErrorCode): AppError => new AppError(code, `no: ${code}`);

/** What the list answers, and each sandbox that is ready. */
function runtime(list: Answer, each: Readonly<Record<string, Answer>>): Client {
	return {
		listPodSandboxStats: async () => {
			if (list !== 'used') throw refusal(list);
			return { stats: Object.keys(each).map(stats) };
		},
		listPodSandbox: async () => ({ items: Object.keys(each).map((id) => ({ id }) as PodSandbox) }),
		podSandboxStats: async ({ podSandboxId = '' }) => {
			const answer = each[podSandboxId] ?? 'NotFound';
			if (answer !== 'used') throw refusal(answer);
			return { stats: stats(podSandboxId) };
		},
	};
}

for (const [name, list, each, want] of [
	['the list is taken', 'used', { a: 'used', b: 'used' }, ['a', 'b']],
	['one that has ended does not keep the others back', 'Unknown', { a: 'Unknown', b: 'used' }, ['b']],
	['nor one that is gone', 'NotFound', { a: 'used', b: 'NotFound' }, ['a']],
	['all that were refused have ended', 'Unknown', {}, []],
	['a runtime that has no figures at all says so', 'Unknown', { a: 'Unknown', b: 'Unknown' }, 'no: Unknown'],
	['one that is away is not asked again', 'Unavailable', { a: 'used' }, 'no: Unavailable'],
	['nor is one that does not know the call', 'Unimplemented', { a: 'used' }, 'no: Unimplemented'],
	['one that goes away meanwhile is told of', 'Unknown', { a: 'used', b: 'Unavailable' }, 'no: Unavailable'],
] as const)
	test(name, async (t) => {
		const asked = sandboxStats(runtime(list, each), {}, { signal: new AbortController().signal, timeoutMs: 1000 });
		if (typeof want === 'string') await t.throwsAsync(asked, { message: want });
		else
			t.deepEqual(
				(await asked).map((s) => s.attributes?.id),
				[...want],
			);
	});
