/** All credentials that a pod may pull an image with: its secrets, those of the node, those that plug-ins give. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import type { AgentContext } from '../context.ts';
import type { Credential } from './credential.ts';
import { wholeName } from './name.ts';
import { bareName } from './pull-records.ts';
import { credentialsIn, pullSecrets } from './pull-secrets.ts';

/** The pod's own come first. */
export async function credentialsOf(pod: Pod, image: string, context: AgentContext, signal: AbortSignal): Promise<readonly Credential[]> {
	const [secrets, node, given] = await Promise.all([
		pullSecrets(pod, image, context, signal),
		ofNode(image, context.options.rootDir),
		context.images?.providers?.credentials(pod, bareName(wholeName(image)), signal) ?? [],
	]);
	return [...secrets, ...node, ...given];
}

/** Docker's own configuration of this machine, where upstream looks for it. */
async function ofNode(image: string, rootDir: string): Promise<readonly Credential[]> {
	const places: readonly (readonly [path: string, modern: boolean])[] = [
		[join(rootDir, 'config.json'), true],
		[join(homedir(), '.docker', 'config.json'), true],
		[join(rootDir, '.dockercfg'), false],
		[join(homedir(), '.dockercfg'), false],
	];
	const texts = await Promise.all(
		places.map(async ([path, modern]) => [await readFile(path, 'utf8').catch(() => undefined), modern] as const),
	);
	return texts.flatMap(([text, modern]) =>
		text === undefined ? [] : credentialsIn(image, text, modern).map((auth) => ({ auth, source: { type: 'node' } as const })),
	);
}
