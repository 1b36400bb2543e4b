/** What a KubeletConfiguration says comes before what was laid out for the node, and that before upstream's. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { settingsOf } from '../../agent/config/settings.ts';
import { UPSTREAM_HARD } from '../../agent/eviction/threshold.ts';
import { kubeletSettings } from './agent.ts';
import type { AgentConfig } from './config.ts';

const [LAID_OUT, SAID] = [{ 'nodefs.available': '1%' }, { 'nodefs.available': '7%' }];

for (const [name, laidOut, said, want] of [
	['neither', undefined, undefined, UPSTREAM_HARD],
	['the layout alone', LAID_OUT, undefined, LAID_OUT],
	['the configuration alone', undefined, SAID, SAID],
	['both', LAID_OUT, SAID, SAID],
] as const)
	test(`kubeletSettings(): hard limits of eviction that ${name} names`, async (t) => {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-settings-'));
		const file = join(dir, 'kubelet.json');
		await writeFile(file, JSON.stringify(said === undefined ? {} : { evictionHard: said }));
		const { resources } = await kubeletSettings({ kubeletConfigFile: file, evictionHard: laidOut } as AgentConfig);
		t.deepEqual(resources.thresholds, settingsOf({ evictionHard: want }).resources.thresholds);
		await rm(dir, { recursive: true });
	});
