/** Eight callers of a driver at once, who want volumes, all of them twice: each is made once, listed once, known after a restart, and gone once. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { codeOf, messageOf } from '../../../base/errors.ts';
import { call, CsiHost, files, none } from '../../tools/csi-host.ts';
import { sharedFolder } from '../../tools/shared-folder.ts';

const CLIENTS = 8;
const PAGE = 30;
const volumeCapability = files();

/** On a folder of its own. */
export async function callersCampaign(volumes: number): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	await using folder = await sharedFolder('kubeling-csi-');
	const problems = await manyCallers(folder.dir, volumes);
	return { text: `${CLIENTS} callers, ${volumes} volumes, ${problems.length} problems`, problems };
}

/** Resolves with what was wrong. */
export async function manyCallers(dir: string, volumes: number): Promise<readonly string[]> {
	const { controller } = await CsiHost.on(dir);
	const problems: string[] = [];
	const create = async (name: string): Promise<string> => {
		const { volume } = await controller.createVolume(
			{
				...none,
				name,
				parameters: { backend: 'directory' },
				capacityRange: { requiredBytes: 1n, limitBytes: 0n },
				volumeCapabilities: [volumeCapability],
				volumeContentSource: undefined,
				accessibilityRequirements: undefined,
			},
			call,
		);
		return volume?.volumeId ?? '';
	};
	const ids = await byAll(volumes, async (i) => {
		// The second caller is told to come again, or gets what the first one made.
		const asked = await Promise.allSettled([create(`v${i}`), create(`v${i}`)]);
		const given = new Set(asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
		for (const answer of asked)
			if (answer.status === 'rejected' && codeOf(answer.reason) !== 'Aborted') problems.push(`v${i}: ${messageOf(answer.reason)}`);
		const [volumeId = ''] = given;
		if (given.size !== 1) problems.push(`v${i} was made ${given.size} times`);
		await controller.controllerPublishVolume({ ...none, volumeId, nodeId: 'node', volumeCapability, readonly: false }, call);
		return volumeId;
	});
	if (!isDeepStrictEqual(await listed(controller), ids.toSorted())) problems.push('what is listed is not what was made');
	const known = (await CsiHost.on(dir)).context.volumes.all().length;
	if (known !== volumes) problems.push(`${known} of ${volumes} volumes are known after a restart`);
	await byAll(volumes, async (i) => {
		const volumeId = ids[i] ?? '';
		await controller.controllerUnpublishVolume({ ...none, volumeId, nodeId: 'node' }, call);
		await controller.deleteVolume({ ...none, volumeId }, call);
	});
	const left = await readdir(join(dir, 'pool/volumes'));
	if (left.length > 0) problems.push(`left behind: ${left.join(', ')}`);
	return problems;
}

/** Each number below `count` is one caller's. */
async function byAll<T>(count: number, work: (i: number) => Promise<T>): Promise<readonly T[]> {
	const results: T[] = [];
	await Promise.all(
		Array.from({ length: CLIENTS }, async (_, client) => {
			for (let i = client; i < count; i += CLIENTS) results[i] = await work(i);
		}),
	);
	return results;
}

async function listed(controller: CsiHost['controller']): Promise<readonly string[]> {
	const ids: string[] = [];
	for (let startingToken = ''; ; ) {
		const page = await controller.listVolumes({ maxEntries: PAGE, startingToken }, call);
		ids.push(...page.entries.map((entry) => entry.volume?.volumeId ?? ''));
		startingToken = page.nextToken;
		if (startingToken === '') return ids;
	}
}
