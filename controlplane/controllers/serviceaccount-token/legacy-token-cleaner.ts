/**
 * Tokens that were once made for every service account, and that nobody has used for a year: first they are marked as invalid, and a year later
 * their secrets are deleted (upstream's LegacySATokenCleaner). What a pod uses or people made by hand stays.
 */
import type { Pod, Secret, ServiceAccount } from '../../../api/gen/types.ts';
import { podReferences } from '../../../api/pod/references.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { ACCOUNT_NAME, ACCOUNT_UID, INVALID_SINCE, LAST_USED, TOKEN_SECRET_TYPE } from '../../../api/token-secret.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { KeySource } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { awaited } from '../awaited.ts';
import { failureOf } from '../conflicts.ts';
import type { Reconciler } from '../reconciler.ts';

const TRACKING: Key = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';

const DAY_MS = 86_400_000;
/** Upstream's --legacy-service-account-token-clean-up-period. */
const UNUSED_MS = 365 * DAY_MS;
/** The one thing to look at is everything. */
const ALL: Key = 'all';

export function legacyTokenCleaner(client: Client, informers: Informers, clock: Clock): Reconciler {
	const secrets = informers.get(SECRETS, { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
	const accounts = informers.get(SERVICE_ACCOUNTS);
	const pods = informers.get(PODS);
	const daily: KeySource = {
		synced: (signal) => secrets.synced(signal),
		subscribe(enqueue) {
			enqueue(ALL);
			return { [Symbol.dispose]: () => undefined };
		},
	};

	async function label(secret: Secret, date: string, signal: AbortSignal): Promise<void> {
		const { uid, resourceVersion } = secret.metadata;
		const body = { metadata: { uid, resourceVersion, labels: { [INVALID_SINCE]: date } } };
		await client.patch(SECRETS, keyOf(secret), { type: 'merge', body }, { signal }).catch(ignore('NotFound', 'Aborted'));
	}

	async function remove(secret: Secret, signal: AbortSignal): Promise<void> {
		const { uid = '', resourceVersion = '' } = secret.metadata;
		await client.delete(SECRETS, keyOf(secret), { uid, resourceVersion, signal }).catch(ignore('NotFound', 'Aborted'));
	}

	return {
		sources: [daily, awaited(accounts), awaited(pods)],
		async reconcile(_key, signal) {
			const tracking = await client.get(CONFIG_MAPS, TRACKING, { signal }).catch(ignore('NotFound'));
			const since = dateOf(tracking?.data?.['since']);
			const now = clock.now();
			// From the day after it began every use is known.
			if (since === undefined || now < since + DAY_MS + UNUSED_MS) return { afterMs: DAY_MS };
			const failed: unknown[] = [];
			for (const secret of secrets.lister.list()) {
				const account = accounts.lister.get(`${secret.metadata.namespace}/${secret.metadata.annotations?.[ACCOUNT_NAME] ?? ''}`);
				const step = cleaningStep(secret, account, pods.lister.list(secret.metadata.namespace), now);
				const done = step === 'mark' ? label(secret, dayOf(now), signal) : step === 'delete' ? remove(secret, signal) : Promise.resolve();
				await done.catch((error: unknown) => failed.push(error));
			}
			if (failed.length > 0) throw failureOf(failed);
			return { afterMs: DAY_MS };
		},
	};
}

/** What becomes of a token's secret. Pure. */
export function cleaningStep(
	secret: Secret,
	account: ServiceAccount | undefined,
	pods: readonly Pod[],
	now: number,
): 'keep' | 'mark' | 'delete' {
	const { name, creationTimestamp = '', deletionTimestamp, labels = {}, annotations = {} } = secret.metadata;
	const keptFrom = now - UNUSED_MS;
	if (secret.type !== TOKEN_SECRET_TYPE || deletionTimestamp !== undefined || Date.parse(creationTimestamp) >= keptFrom) return 'keep';
	const lastUsed = labels[LAST_USED];
	if (lastUsed !== undefined && (dateOf(lastUsed) === undefined || lastUsed >= dayOf(keptFrom))) return 'keep';
	const wanted = annotations[ACCOUNT_UID] ?? '';
	const isIts = account !== undefined && (wanted === '' || account.metadata.uid === wanted);
	// Only those that the account names were made by themselves.
	if (!isIts || !(account.secrets ?? []).some((ref) => ref.name === name)) return 'keep';
	if (pods.some((pod) => podReferences(pod).secrets.includes(name ?? ''))) return 'keep';
	const invalidSince = labels[INVALID_SINCE] ?? '';
	if (dateOf(invalidSince) === undefined) return 'mark';
	return invalidSince >= dayOf(keptFrom) ? 'keep' : 'delete';
}

/** Midnight of "2026-01-01"; undefined for what is no date. */
function dateOf(text: string | undefined): number | undefined {
	const ms = /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : NaN;
	return Number.isNaN(ms) ? undefined : ms;
}

function dayOf(ms: number): string {
	return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
