/** What the driver decides, as tables. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../base/virtual-clock.ts';
import { csiFolder } from '../test/tools/csi-folder.ts';
import { isReadOnlyMode, readCapabilities, readCapability, sameCapability } from './capability.ts';
import { idOf, isId, memberId } from './ids.ts';
import { Locks } from './locks.ts';
import { realTarget } from './node/paths.ts';
import { readInline, readMutable, readParameters, sameStrings } from './parameters.ts';
import { loadPoolId } from './pool/pool-id.ts';
import type { VolumeCapability } from './proto.ts';
import { chooseSize, fitsRange } from './size.ts';
import { differing } from './snapshot/metadata.ts';
import { parseSuperblock } from './filesystems/superblock.ts';
import { checkTopology, poolTopology } from './topology.ts';

const MIB = 1024 ** 2;
const LIMITS = { minBytes: 4 * MIB, maxBytes: 1024 * MIB, alignment: 4096 };
const range = (required: number, limit = 0) => ({ requiredBytes: BigInt(required), limitBytes: BigInt(limit) });

for (const [name, asked, want] of [
	['nothing asked for: the default', undefined, 64 * MIB],
	['exactly what is required', range(100 * MIB), 100 * MIB],
	['never below the smallest', range(1), 4 * MIB],
	['rounded up to a page', range(5 * MIB + 1), 5 * MIB + 4096],
	['required is the limit: that size', range(5 * MIB + 512, 5 * MIB + 512), 5 * MIB + 512],
	['a limit alone: no more than it', range(0, 10 * MIB + 100), 10 * MIB],
	['a size between two sectors is none', range(5 * MIB + 1, 5 * MIB + 1), 'OutOfRange'],
	['a limit below the smallest', range(0, MIB), 'OutOfRange'],
	['more than the largest', range(2048 * MIB), 'OutOfRange'],
	['a limit below what is required', range(8 * MIB, 6 * MIB), 'OutOfRange'],
	['less than nothing', range(-1), 'OutOfRange'],
] as const)
	test(`size: ${name}`, (t) => {
		if (typeof want === 'number') t.is(chooseSize(asked, LIMITS, 64 * MIB), want);
		else t.throws(() => chooseSize(asked, LIMITS, 64 * MIB), { code: want });
	});

test('size: folders take any size', (t) => {
	t.is(chooseSize(range(5, 5), { minBytes: 1, maxBytes: 2 ** 40, alignment: 1 }), 5);
	t.true(fitsRange(5, range(5, 5)) && fitsRange(6, range(5)) && !fitsRange(4, range(5)) && !fitsRange(6, range(1, 5)));
});

const mountCapability = (fsType = '', mountFlags: string[] = [], volumeMountGroup = '', mode: 0 | 1 | 2 | 6 = 1): VolumeCapability => ({
	accessType: { $case: 'mount', value: { fsType, mountFlags, volumeMountGroup } },
	accessMode: { mode },
});
const block: VolumeCapability = { accessType: { $case: 'block', value: {} }, accessMode: { mode: 1 } };

for (const [name, capability] of [
	['none at all', undefined],
	['without an access type', { accessType: undefined, accessMode: { mode: 1 } }],
	['without an access mode', { ...block, accessMode: undefined }],
	['of an unknown mode', mountCapability('', [], '', 0)],
	['of a strange file system', mountCapability('ntfs')],
	['with a flag that makes it a bind mount', mountCapability('', ['bind'])],
	['with such a flag hidden behind another', mountCapability('', ['noatime,loop=/dev/loop0'])],
	['with an offset into the image', mountCapability('', ['offset=4096'])],
	['with a flag behind a quote that nobody closes', mountCapability('', ['a="', 'context="b,bind,c"'])],
	['with a flag behind an escaped quote', mountCapability('', ['context="a\\",bind,b="'])],
	['with a quoted value that is no label', mountCapability('', ['a="b,c"'])],
	['with a flag of two words', mountCapability('', ['noatime foo'])],
	['with a group that is no number', mountCapability('', [], 'wheel')],
] as const)
	test(`capability: ${name} is refused`, (t) => void t.throws(() => readCapability(capability), { code: 'InvalidArgument' }));

test('capability: what is read, and what is the same', (t) => {
	const read = readCapability(mountCapability('xfs', ['noatime,discard'], '1000'));
	t.deepEqual(read, { access: { kind: 'mount', fsType: 'xfs', flags: ['noatime', 'discard'], group: 1000 }, mode: 'SINGLE_NODE_WRITER' });
	t.true(sameCapability(read, readCapability(mountCapability('xfs', ['discard', 'noatime'], '1000'))));
	t.false(sameCapability(read, readCapability(mountCapability('xfs', ['noatime'], '1000'))));
	t.false(sameCapability(read, readCapability(block)));
	t.true(isReadOnlyMode(readCapability(mountCapability('', [], '', 2)).mode));
	const [label, pieces] = ['context="u:r:t:s0:c1,c2"', ['context="u:r:t:s0:c1', 'c2"']];
	const labelled = readCapability(mountCapability('', [`ro,${label}`, 'noatime']));
	t.like(labelled.access, { flags: ['ro', label, 'noatime'] });
	const ofBefore = { ...labelled, access: { ...labelled.access, flags: ['noatime', 'ro', ...pieces] } } as typeof labelled;
	t.true(sameCapability(labelled, ofBefore));
	for (const mixed of [[], [block, mountCapability()], [mountCapability('ext4'), mountCapability('xfs')]])
		t.throws(() => readCapabilities(mixed), { code: 'InvalidArgument' });
});

test('parameters: unknown names and values are refused, those of sidecars are not ours', (t) => {
	t.deepEqual(readParameters({ backend: 'btrfs', 'csi.storage.k8s.io/pvc/name': 'x' }), { backend: 'btrfs' });
	t.like(readMutable({ secureErase: 'true', readAheadKiB: '128' }), { secureErase: true, readAheadKiB: 128 });
	for (const bad of [{ backend: 'zfs' }, { size: '1' }]) t.throws(() => readParameters(bad), { code: 'InvalidArgument' });
	t.deepEqual(readInline({ size: '3Mi', backend: 'loop' }), { backend: 'loop', sizeBytes: 3 * MIB });
	t.deepEqual([readInline({}).sizeBytes, readInline({ size: '512' }).sizeBytes], [0, 512]);
	for (const bad of [{ size: '-1' }, { size: '1.5Gi' }, { size: '1M' }, { size: '' }, { backend: 'zfs' }, { colour: '' }])
		t.throws(() => readInline(bad), { code: 'InvalidArgument' });
	for (const bad of [{ secureErase: 'yes' }, { readAheadKiB: '-1' }, { readAheadKiB: '99999' }, { x: '' }])
		t.throws(() => readMutable(bad), { code: 'InvalidArgument' });
	t.true(sameStrings({ a: '1', b: '2' }, { b: '2', a: '1' }));
	t.false(sameStrings({ a: '1' }, { a: '1', b: '2' }));
});

test('ids: of one name always the same, of two kinds never; a path is none', (t) => {
	t.is(idOf('vol', 'a'), idOf('vol', 'a'));
	t.true(isId('vol', idOf('vol', '../../etc')));
	t.false(isId('vol', idOf('snap', 'a')));
	for (const bad of ['', '..', 'vol-', '../vol-x', `${idOf('vol', 'a')}/..`, `${idOf('vol', 'a')}\n`, idOf('vol', 'a').toUpperCase()])
		t.false(isId('vol', bad), bad);
	t.not(memberId(idOf('group', 'g'), idOf('vol', 'a')), memberId(idOf('group', 'g'), idOf('vol', 'b')));
});

test('locks: one alone, or several sharers; who comes between is told Aborted, and nobody else waits', (t) => {
	const locks = new Locks();
	const alone = locks.take('a');
	t.throws(() => locks.take('a'), { code: 'Aborted' });
	t.throws(() => locks.share('a'), { code: 'Aborted' });
	t.throws(() => locks.takeAll(['b', 'a']), { code: 'Aborted' });
	locks.take('b')[Symbol.dispose](); // what takeAll had of it was given back
	alone[Symbol.dispose]();
	const [one, two] = [locks.share('a'), locks.share('a')];
	t.throws(() => locks.take('a'), { code: 'Aborted' });
	one[Symbol.dispose]();
	t.throws(() => locks.take('a'), { code: 'Aborted' });
	two[Symbol.dispose]();
	locks.takeAll(['a', 'a', 'b'])[Symbol.dispose]();
});

test('superblocks: of ext4, of XFS, of btrfs, of nothing', (t) => {
	const ext = Buffer.alloc(4096);
	ext.writeUInt16LE(0xef53, 1024 + 0x38);
	ext.writeUInt32LE(1000, 1024 + 4);
	ext.writeUInt32LE(2, 1024 + 0x18);
	t.deepEqual(parseSuperblock(ext), { type: 'ext4', sizeBytes: 4_096_000, clean: false });
	ext.writeUInt16LE(1, 1024 + 0x3a);
	t.true(parseSuperblock(ext)?.clean);
	ext.writeUInt32LE(4, 1024 + 0x60);
	t.false(parseSuperblock(ext)?.clean, 'a journal to replay');
	ext.writeUInt32LE(0, 1024 + 0x60);
	ext.writeUInt16LE(3, 1024 + 0x3a);
	t.false(parseSuperblock(ext)?.clean, 'errors were found');
	ext.writeUInt32LE(0x80, 1024 + 0x60);
	ext.writeUInt32LE(1, 1024 + 0x150);
	t.deepEqual(parseSuperblock(ext), { type: 'ext4', sizeBytes: (2 ** 32 + 1000) * 4096, clean: false });
	const xfs = Buffer.alloc(512);
	xfs.write('XFSB');
	xfs.writeUInt32BE(4096, 4);
	xfs.writeBigUInt64BE(500n, 8);
	t.deepEqual(parseSuperblock(xfs), { type: 'xfs', sizeBytes: 2_048_000 });
	const btrfs = Buffer.alloc(0x11000);
	btrfs.write('_BHRfS_M', 0x10040);
	btrfs.writeBigUInt64LE(7n, 0x10070);
	t.deepEqual(parseSuperblock(btrfs), { type: 'btrfs', sizeBytes: 7 });
	t.is(parseSuperblock(Buffer.alloc(0x11000)), undefined);
	t.is(parseSuperblock(Buffer.alloc(3)), undefined);
});

test('topology: a requirement must have the pool; keys of others say nothing', (t) => {
	const own = poolTopology('d', 'p');
	const at = (...all: readonly Record<string, string>[]) => all.map((segments) => ({ segments }));
	for (const fine of [undefined, { requisite: [], preferred: [] }, { requisite: at({ zone: 'z' }), preferred: [] }])
		t.notThrows(() => checkTopology(fine, own));
	t.notThrows(() => checkTopology({ requisite: at({ 'topology.d/pool': 'q' }, { 'topology.d/pool': 'p' }), preferred: [] }, own));
	t.throws(() => checkTopology({ requisite: at({ 'topology.d/pool': 'q' }), preferred: [] }, own), { code: 'ResourceExhausted' });
});

test('snapshots: where two images differ, in blocks of 64 KiB', (t) => {
	const [a, b] = [Buffer.alloc(256 * 1024), Buffer.alloc(256 * 1024)];
	t.deepEqual(differing(a, b), []);
	b[70_000] = 1;
	b[200_000] = 1;
	t.deepEqual(differing(a, b), [65_536, 196_608]);
	t.deepEqual(differing(a, b, 100_000), [65_536]);
});

test('paths: links on the way are resolved, one at the end and whatever leads out of the roots is refused', async (t) => {
	const dir = await csiFolder(t);
	await mkdir(join(dir, 'pods/one'), { recursive: true });
	await symlink(join(dir, 'pods'), join(dir, 'link'));
	await symlink('/etc', join(dir, 'pods/etc'));
	t.is(await realTarget(join(dir, 'link/one/mount'), [dir]), join(dir, 'pods/one/mount'));
	t.is(await realTarget(join(dir, 'none/of/these/'), []), join(dir, 'none/of/these'));
	for (const bad of [
		'some/path',
		'/',
		`${dir}/pods/../../x`,
		`${dir}/pods/etc`,
		`${dir}/pods/etc/target`,
		`/etc/passwd`,
		`${dir}-beside/x`,
		dir,
	])
		await t.throwsAsync(realTarget(bad, [dir]), { code: 'InvalidArgument' }, bad);
	for (const bad of ['some/path', '/', `${dir}/link/../x`]) await t.throwsAsync(realTarget(bad, []), { code: 'InvalidArgument' }, bad);
});

test('a pool keeps its id', async (t) => {
	const dir = await csiFolder(t);
	const id = await loadPoolId(dir, new VirtualClock());
	t.is(await loadPoolId(dir, new VirtualClock()), id);
});
