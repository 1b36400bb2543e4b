/** Labels of SELinux among mount flags, and folders that have them. */
import test from 'ava';
import { mountCommands } from '../../host/mounter.ts';
import type { VolumeRecord } from '../records/records.ts';
import type { StageRequest } from './backend.ts';
import { DirectoryBackend } from './directory.ts';
import { takeLabel } from './label.ts';

const LABEL = 'system_u:object_r:container_file_t:s0:c1,c2';

for (const [name, given, label, flags] of [
	['none', ['noatime'], undefined, ['noatime']],
	['as kubelets say it', ['noatime', `context="${LABEL}"`, 'ro'], LABEL, ['noatime', 'ro']],
	['one without commas', ['context=u:r:t:s0'], 'u:r:t:s0', []],
	['the last of several', ['context=u:r:t:s0', `context="${LABEL}"`], LABEL, []],
	['an empty one', ['context=""'], undefined, []],
	['others are a file system’s', ['defcontext="u:r:t:s0"'], undefined, ['defcontext="u:r:t:s0"']],
] as const)
	test(`a label among mount flags: ${name}`, (t) => t.deepEqual(takeLabel(given), { label, flags }));

for (const [name, selinux, given, want] of [
	['labelled before it is mounted', true, ['noatime', `context="${LABEL}"`], [['/pool/v/data', LABEL]]],
	['no label wanted', true, ['noatime'], []],
	['a host without SELinux, where mount(8) has no use for a label either', false, [`context="${LABEL}"`], []],
] as const)
	test(`a folder's files: ${name}`, async (t) => {
		const done: (readonly string[])[] = [];
		const relabel = async (path: string, label: string): Promise<void> => void done.push([path, label]);
		const backend = new DirectoryBackend(mountCommands, selinux ? relabel : undefined);
		await backend.prepare(request(given));
		t.deepEqual(done, want as unknown as string[][]);
	});

test('a folder is not mounted with flags of a file system, label or not', async (t) => {
	const backend = new DirectoryBackend(mountCommands, () => Promise.reject(new Error('labelled')));
	await t.throwsAsync(async () => backend.prepare(request([`context="${LABEL}"`, 'discard'])), {
		message: /^Mount flag "discard" is one for/,
	});
});

function request(flags: readonly string[]): StageRequest {
	const facts = { id: 'v', backend: 'directory', access: 'mount', sizeBytes: 1 } as VolumeRecord;
	return { dir: '/pool/v', facts, path: '/stage', capability: { mode: 'SINGLE_NODE_SINGLE_WRITER', access: { kind: 'mount', flags } } };
}
