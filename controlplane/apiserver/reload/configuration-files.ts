/** The files of authentication and authorization, followed while the server runs. */
import { AppError } from '../../../base/errors.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Authentication } from '../authn/authentication.ts';
import { parseAuthenticationConfiguration, type AnonymousOptions } from '../authn/oidc/configuration.ts';
import type { Authorization } from '../authz/authorizer.ts';
import { parseAuthorizationConfiguration, plainTypesIn } from '../authz/configuration.ts';
import type { LiveSealing } from '../../storage/encryption/live-sealing.ts';
import { sealingOf } from '../../storage/encryption/read.ts';
import { FollowedFile, type ConfigurationFile } from './followed-file.ts';
import { ReloadMetrics } from './reload-metrics.ts';

export interface ConfigurationFiles {
	readonly authentication?: ConfigurationFile | undefined;
	readonly authorization?: ConfigurationFile | undefined;
	/** Told of in the metrics, and followed where one wants it so; what it says is the store's. */
	readonly encryption?: { readonly path: string; readonly isFollowed: boolean } | undefined;
}

interface Deps {
	readonly authentication: Pick<Authentication, 'reload'>;
	readonly authorization: Pick<Authorization, 'reload'>;
	/** The keys of the store; absent: its values are plain. */
	readonly sealing: Pick<LiveSealing, 'replace' | 'text' | 'counted'> | undefined;
	/** What the file of authentication said of those without credentials when the server started. */
	readonly anonymous: AnonymousOptions | undefined;
	readonly metrics: Registry;
	readonly clock: Clock;
	readonly log: Log;
}

export function followConfigurations(files: ConfigurationFiles, deps: Deps): readonly FollowedFile[] {
	const { authentication, authorization, sealing, anonymous, metrics, clock, log } = deps;
	const followed: FollowedFile[] = [];
	if (files.authentication !== undefined) {
		const file = files.authentication;
		const before = parseAuthenticationConfiguration(file.text, file.path).anonymous ?? anonymous;
		const parse = (text: string) => {
			const { jwt = [], anonymous: now = before } = parseAuthenticationConfiguration(text, file.path);
			if (!sameJson(now, before)) throw new AppError('FailedPrecondition', 'anonymous: Forbidden: changed from initial configuration file');
			return (signal: AbortSignal) => authentication.reload(jwt, signal);
		};
		const reloads = new ReloadMetrics(metrics, 'authentication', clock);
		followed.push(
			new FollowedFile({ file, what: 'authentication', parse: (text) => Promise.try(parse, text), metrics: reloads, clock, log }),
		);
	}
	if (files.authorization !== undefined) {
		const file = files.authorization;
		const needed = plainTypesIn(file.text);
		const parse = async (text: string) => {
			const modes = await parseAuthorizationConfiguration(text, file.path);
			const missing = needed.filter((type) => !modes.some((mode) => mode.type === type));
			if (missing.length > 0) throw new AppError('FailedPrecondition', `missing required types: [${missing.toSorted().join(' ')}]`);
			return () => Promise.try(() => authorization.reload(modes));
		};
		const reloads = new ReloadMetrics(metrics, 'authorization', clock);
		followed.push(new FollowedFile({ file, what: 'authorization', parse, metrics: reloads, clock, log }));
	}
	if (files.encryption !== undefined && sealing !== undefined) {
		const { path, isFollowed } = files.encryption;
		const file = { path, text: sealing.text };
		const reloads = new ReloadMetrics(metrics, 'encryption', clock);
		const parse = async (text: string) => {
			const next = await sealingOf(text, sealing.counted);
			return () => Promise.try(() => sealing.replace(next));
		};
		if (isFollowed) followed.push(new FollowedFile({ file, what: 'encryption', parse, insists: true, metrics: reloads, clock, log }));
		else reloads.taken(file.text);
	}
	return followed;
}
