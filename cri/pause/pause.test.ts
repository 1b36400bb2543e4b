/** The pause process's own seccomp profile: asked for where it works, given up where a runtime needs more. */
import test from 'ava';
import { AtMost } from '../../base/at-most.ts';
import { AppError } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import type { Engine, EngineRequest } from '../engine/engine.ts';
import type { CreateBody } from '../engine/types.ts';
import { PauseProfile } from './profile.ts';
import { startPause } from './start.ts';

/** Starts what `runs` takes, by the profile that it was made with. */
function engineThat(runs: (profile: string | undefined) => AppError | undefined): {
	readonly engine: Engine;
	readonly made: (string | undefined)[];
} {
	const made: (string | undefined)[] = [];
	const there = new Set<string>();
	const call = async ({ method, path, query, body }: EngineRequest): Promise<unknown> => {
		const name = String(query?.['name']);
		if (path === '/containers/create') {
			if (there.has(name)) throw new AppError('FailedPrecondition', `The container name "/${name}" is already in use by container "x"`);
			there.add(name);
			made.push((body as CreateBody).HostConfig.SecurityOpt?.[0]);
			return { Id: name };
		}
		if (method === 'DELETE') there.delete(path.slice('/containers/'.length));
		const failure = path.endsWith('/start') ? runs(made.at(-1)) : undefined;
		if (failure !== undefined) throw failure;
		return { Id: 'pod', State: { Running: true } };
	};
	return { engine: { call } as unknown as Engine, made };
}

const REFUSED = new AppError('Unknown', 'OCI runtime create failed: unable to start container process: operation not permitted');
const PANIC = new AppError('Unknown', 'OCI runtime create failed: runc create failed: unable to start container process: EOF');
const SHIM = new AppError('Unknown', 'failed to create task for container: failed to create shim task: cannot apply the profile');
const FULL = new AppError('Unknown', 'no space left on device');
const bodyOf = (profile: string | undefined): CreateBody => ({
	Image: 'pause',
	HostConfig: profile === undefined ? {} : { SecurityOpt: [profile] },
});

for (const [name, seccomp, runs, attempts, own, failure] of [
	['a runtime that gets to its end has it', true, () => undefined, 1, true, undefined],
	['an engine without seccomp has none', false, () => undefined, 1, false, undefined],
	[
		"a runtime that needs more has the engine's, and is not asked again",
		true,
		(p) => (p === undefined ? undefined : REFUSED),
		2,
		false,
		undefined,
	],
	['a runtime behind a shim of its own, too', true, (p) => (p === undefined ? undefined : SHIM), 2, false, undefined],
	['a runtime that says nothing of the reason', true, (p) => (p === undefined ? undefined : PANIC), 2, false, undefined],
	['what another profile does not help is no reason to give it up', true, () => REFUSED, 2, true, REFUSED],
	['another failure is told at once', true, () => FULL, 1, true, FULL],
] satisfies readonly (readonly [
	string,
	boolean,
	(profile: string | undefined) => AppError | undefined,
	number,
	boolean,
	AppError | undefined,
])[])
	test(`pause profile: ${name}`, async (t) => {
		const { engine, made } = engineThat(runs);
		const pauseProfile = new PauseProfile({ seccomp });
		const started = startPause({ engine, starts: new AtMost(1), pauseProfile, log: noLog }, 'pod', bodyOf, new AbortController().signal);
		if (failure === undefined) t.is((await started).Id, 'pod');
		else t.is(await t.throwsAsync(started), failure);
		t.is(made.length, attempts);
		t.is(made[0] !== undefined, seccomp);
		t.is(pauseProfile.option !== undefined, own);
	});
