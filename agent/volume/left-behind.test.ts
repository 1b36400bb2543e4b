/** Volumes that an earlier life of the agent has left to pods that nobody knows any more. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { playing } from '../../test/fakes/playing.ts';
import { publishFolder } from '../csi/names.ts';
import { findUsers } from '../csi/run.ts';
import { Collector } from '../gc/collector.ts';

test('what cannot be read is counted, what can be taken down goes, and the rest is said to be left', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const { context, rootDir } = node;
	for (const [uid, text] of [
		['broken', 'nonsense'],
		['silent', undefined],
		['whole', JSON.stringify({ driverName: 'away.example.com', volumeHandle: 'h', volumeLifecycleMode: 'Persistent' })],
	] as const) {
		const folder = publishFolder(rootDir, uid, 'pv');
		await mkdir(folder, { recursive: true });
		if (text !== undefined) await writeFile(join(folder, 'vol_data.json'), text);
	}
	const told = async (): Promise<Readonly<Record<string, number>>> => {
		const lines = (await context.figures.registry.metrics()).split('\n');
		const found = lines.flatMap((line) => /^(?:kubelet_)?((?:reconstruct|force|orphan_pod)\w+) (\d+)$/.exec(line)?.slice(1, 3) ?? []);
		return Object.fromEntries(Array.from({ length: found.length / 2 }, (_, i) => [found[2 * i] ?? '', Number(found[2 * i + 1])]));
	};
	await findUsers(context);
	t.deepEqual(context.csi.inUse(), ['kubernetes.io/csi/away.example.com^h'], 'the others keep no volume from being said to be in use');
	t.deepEqual(await told(), {
		...{ reconstruct_volume_operations_total: 3, reconstruct_volume_operations_errors_total: 2 },
		...{ force_cleaned_failed_volume_operations_total: 0, force_cleaned_failed_volume_operation_errors_total: 0 },
		...{ orphan_pod_cleaned_volumes: 0, orphan_pod_cleaned_volumes_errors: 0 },
	});
	const collector = new Collector({ context, workers: node.workers, known: () => true, event: () => {} });
	await collector.collect(new AbortController().signal);
	t.deepEqual((await readdir(join(rootDir, 'pods'))).toSorted(), ['broken', 'whole']);
	t.deepEqual(await told(), {
		...{ reconstruct_volume_operations_total: 3, reconstruct_volume_operations_errors_total: 2 },
		...{ force_cleaned_failed_volume_operations_total: 2, force_cleaned_failed_volume_operation_errors_total: 1 },
		...{ orphan_pod_cleaned_volumes: 3, orphan_pod_cleaned_volumes_errors: 2 },
	});
});
