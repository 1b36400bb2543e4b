/** Accounts with an annotation let their pods use only the secrets that they list (limitSecretReferences of upstream's serviceaccount plugin). Pure. */
import { goBool } from '../../../../api/go-bool.ts';
import type { Container, EphemeralContainer, Pod, ServiceAccount } from '../../../../api/gen/types.ts';

const ANNOTATION = 'kubernetes.io/enforce-mountable-secrets';

/** Why the new pod may not have what it refers to. */
export function secretFault(account: ServiceAccount, { spec }: Pod): string | undefined {
	if (!limits(account)) return undefined;
	const listed = listedBy(account);
	for (const { secret } of spec?.volumes ?? []) {
		const { secretName = '' } = secret ?? {};
		if (secret !== undefined && !listed.has(secretName)) return `volume with ${forbidden(account, secretName)}`;
	}
	const inContainers =
		variablesFault(account, 'init container', spec?.initContainers) ?? variablesFault(account, 'container', spec?.containers);
	if (inContainers !== undefined) return inContainers;
	const pulls = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
	for (const [i, { name }] of (spec?.imagePullSecrets ?? []).entries())
		if (!pulls.has(name))
			return `imagePullSecrets[${i}].name="${name}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
	return undefined;
}

/** The same of containers that are added to a pod. */
export function ephemeralFault(account: ServiceAccount, { spec }: Pod): string | undefined {
	return limits(account) ? variablesFault(account, 'ephemeral container', spec?.ephemeralContainers) : undefined;
}

function limits({ metadata }: ServiceAccount): boolean {
	return goBool(metadata.annotations?.[ANNOTATION] ?? '') === true;
}

function listedBy({ secrets }: ServiceAccount): ReadonlySet<string | undefined> {
	return new Set((secrets ?? []).map(({ name }) => name));
}

function variablesFault(
	account: ServiceAccount,
	what: string,
	containers: readonly (Container | EphemeralContainer)[] = [],
): string | undefined {
	const listed = listedBy(account);
	for (const { name, env = [], envFrom = [] } of containers) {
		for (const { name: variable, valueFrom } of env) {
			const ref = valueFrom?.secretKeyRef;
			if (ref !== undefined && !listed.has(ref.name))
				return `${what} ${name} with envVar ${variable} referencing ${forbidden(account, ref.name)}`;
		}
		for (const { secretRef } of envFrom)
			if (secretRef !== undefined && !listed.has(secretRef.name))
				return `${what} ${name} with envFrom referencing ${forbidden(account, secretRef.name)}`;
	}
	return undefined;
}

function forbidden({ metadata }: ServiceAccount, secret = ''): string {
	return `secret.secretName="${secret}" is not allowed because service account ${metadata.name} does not reference that secret`;
}
