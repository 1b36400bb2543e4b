/**
 * The driver is killed at every named step of every RPC; callers who ask again get what they asked for, data stays, and nothing is left behind. On XFS and
 * on btrfs a volume lives its life without deaths: steps are the same there.
 */
import { tmpdir } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../base/clock.ts';
import type { BackendKind } from '../../../csi/backends/kinds.ts';
import type { FsType } from '../../../csi/capability.ts';
import { findBackends } from '../../../csi/pool/find-backends.ts';
import { STEPS, type Step } from '../../../csi/steps.ts';
import { kernelHasBtrfs, makePlace } from '../../conformance/csi-sanity/place.ts';
import { fileSystemPrograms } from '../../conformance/csi-sanity/programs.ts';
import { leaksBelow } from './leaks.ts';
import { oneLife } from './lifecycle.ts';
import { MortalDriver, mortalOptions } from './mortal-driver.ts';

interface Subject {
	readonly name: string;
	readonly backend: BackendKind;
	readonly fsType?: FsType;
	readonly deadly: readonly Step[];
}

const programs = await fileSystemPrograms();
const here = await findBackends(tmpdir(), realClock);
const lacksRoot = process.getuid?.() === 0 ? undefined : 'this needs root';
for (const [subject, lacks] of [
	[{ name: 'ext4 images', backend: 'loop', fsType: 'ext4', deadly: STEPS }, here.missing.loop],
	[{ name: 'folders', backend: 'directory', deadly: STEPS }, here.missing.directory],
	[
		{ name: 'XFS images', backend: 'loop', fsType: 'xfs', deadly: [] },
		here.missing.loop ?? (programs ? undefined : 'there is no mkfs.xfs'),
	],
	[
		{ name: 'btrfs', backend: 'btrfs', deadly: [] },
		here.missing.loop ?? ((await kernelHasBtrfs()) && programs ? undefined : 'there is no btrfs'),
	],
] as const satisfies readonly (readonly [Subject, string | undefined])[]) {
	const reason = lacksRoot ?? lacks;
	if (reason !== undefined) test(`${subject.name}: skipped: ${reason}`, (t) => t.pass());
	else
		test.serial(`${subject.name}: killed at each of ${subject.deadly.length} steps, a volume lives its life, and nothing is left`, (t) =>
			live(t, subject),
		);
}

async function live(t: ExecutionContext, { backend, fsType, deadly }: Subject): Promise<void> {
	await using place = await makePlace(backend === 'btrfs');
	const { dir } = place;
	{
		await using driver = await MortalDriver.start(mortalOptions(place, backend), deadly);
		t.deepEqual(await oneLife(driver, dir, 'node', fsType), []);
		t.deepEqual([...driver.deadly], [], 'steps that nobody came by');
		if (deadly.length > 0) t.deepEqual(await oneLife(driver, dir, 'node', fsType), [], 'a second life without deaths');
	}
	t.deepEqual(await leaksBelow(place), []);
}
