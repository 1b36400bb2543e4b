/** What an agent pulls images with: limits, records, plug-ins. */
import { join } from 'node:path';
import { settingsIn } from '../config/settings.ts';
import type { AgentOptions } from '../options.ts';
import { loadProviders } from './provider-config.ts';
import { CredentialProviders, type ProviderDeps } from './providers.ts';
import { PullFigures } from './pull-figures.ts';
import { PullLimits } from './pull-limits.ts';
import { PullRecords } from './pull-records.ts';

export interface ImageParts {
	readonly limits: PullLimits;
	readonly records: PullRecords;
	readonly providers: CredentialProviders | undefined;
}

/** AppError InvalidArgument where the configuration of the plug-ins is wrong. */
export async function imageParts(options: AgentOptions, deps: ProviderDeps): Promise<ImageParts> {
	const settings = settingsIn(options).imagePulls;
	const { credentialProviders: given } = options;
	const folder = join(options.rootDir, 'image_manager');
	return {
		limits: new PullLimits(settings.pulls, deps.clock),
		records: new PullRecords(folder, settings, deps.clock, new PullFigures(deps.registry, folder)),
		providers:
			given === undefined ? undefined : new CredentialProviders(await loadProviders(given.config, given.binDir), given.binDir, deps),
	};
}
