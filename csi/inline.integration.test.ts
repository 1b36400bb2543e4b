/** Volumes in a pod's own words: of their size, kept while the pod is, gone with it. Needs root and loop devices. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsStats } from '../host/filesystem.ts';
import { call, CsiHost, files, host, liveTest, none } from '../test/tools/csi-host.ts';

const live = await liveTest();
const MIB = 1024 ** 2;
const HANDLE = `csi-${'0'.repeat(64)}`;
const folders = (h: CsiHost): Promise<readonly string[]> => readdir(join(h.dir, 'pool/inline/node'));

live('a volume of its own size, the same when it is asked for again, which nobody else sees, and gone with the pod', async (t) => {
	const h = await host(t);
	const at = await h.inline(HANDLE, { size: '16Mi' });
	await writeFile(join(at, 'data'), 'kept');
	t.is(await h.inline(HANDLE, { size: '16Mi' }), at);
	const { capacityBytes } = await fsStats(at);
	t.true(capacityBytes > 8 * MIB && capacityBytes <= 16 * MIB);
	await t.throwsAsync(writeFile(join(at, 'big'), Buffer.alloc(32 * MIB)), { code: 'ENOSPC' });
	const { usage } = await h.node.nodeGetVolumeStats({ volumeId: HANDLE, volumePath: at, stagingTargetPath: '' }, call);
	t.is(Number(usage[0]?.total), capacityBytes);
	const { entries } = await h.controller.listVolumes({ maxEntries: 0, startingToken: '' }, call);
	t.deepEqual(entries, []);

	const again = await CsiHost.on(h.dir); // the driver was started again
	t.is(await again.inline(HANDLE, { size: '16Mi' }), at);
	t.is(await readFile(join(at, 'data'), 'utf8'), 'kept');
	for (let times = 0; times < 2; times++) await again.node.nodeUnpublishVolume({ volumeId: HANDLE, targetPath: at }, call);
	t.deepEqual(await folders(h), []);
});

live('another node on the pool has volumes of its own, for readers only where the pod says so', async (t) => {
	const h = await host(t);
	const second = await CsiHost.on(h.dir, { nodeId: 'second' });
	await h.inline('csi-here', { size: '8Mi' });
	const there = await second.inline('csi-there', { size: '8Mi', backend: 'directory' }, { readonly: true });
	await t.throwsAsync(writeFile(join(there, 'data'), 'x'), { code: 'EROFS' });
	t.is((await folders(h)).length, 1);
	await second.node.nodeUnpublishVolume({ volumeId: 'csi-there', targetPath: there }, call);
	t.is((await folders(h)).length, 1);
});

live('what cannot be leaves nothing behind, and tells no steps of an unpublish', async (t) => {
	const told: string[] = [];
	const h = await host(t, { steps: { done: async (step) => void told.push(step) } });
	const pooled = await h.create('pooled', files(), 4);
	const tooMuch = `${Math.ceil((await h.context.space.availableBytes()) / MIB) + MIB}Mi`; // 1 TiB more, whatever others free meanwhile
	for (const [handle, attributes, code] of [
		[HANDLE, { size: 'much' }, 'InvalidArgument'],
		[HANDLE, { colour: 'red' }, 'InvalidArgument'],
		[HANDLE, { backend: 'tape' }, 'InvalidArgument'],
		[HANDLE, { size: '999999Ti' }, 'OutOfRange'],
		[HANDLE, { size: tooMuch }, 'ResourceExhausted'],
		[pooled, { size: '16Mi' }, 'InvalidArgument'], // somebody's volume is no pod's own
	] as const)
		await t.throwsAsync(h.inline(handle, attributes), { code }, JSON.stringify([handle, attributes]));
	await writeFile(join(h.dir, `${HANDLE}-target`), 'in the way');
	await t.throwsAsync(h.inline(HANDLE, { size: '16Mi' }), { code: 'FailedPrecondition' });
	t.deepEqual(await folders(h), []);
	t.true(told.includes('NodePublishVolume: committed') && !told.some((step) => step.startsWith('NodeUn')));
	const raw = { accessType: { $case: 'block' as const, value: {} }, accessMode: { mode: 1 as const } };
	const asked = { ...none, volumeId: HANDLE, volumeContext: { 'csi.storage.k8s.io/ephemeral': 'true' }, stagingTargetPath: '' };
	await t.throwsAsync(h.node.nodePublishVolume({ ...asked, targetPath: join(h.dir, 'x'), volumeCapability: raw, readonly: false }, call), {
		code: 'InvalidArgument',
	});
});

live('one whose making was interrupted is not there', async (t) => {
	const died = new Error('died');
	const h = await host(t, {
		steps: { done: (step) => (step === 'NodePublishVolume: record written' ? Promise.reject(died) : Promise.resolve()) },
	});
	await t.throwsAsync(h.inline(HANDLE, { size: '8Mi' }), { is: died });
	t.deepEqual(await folders(h), []);
});
