/** Validating admission policies: their expressions are checked against the kinds they match, once for each generation, and the status says what cannot be right. */
import { kindsToCheck, warningsInSteps } from '../../../api/cel/admission/type-check.ts';
import { VALIDATING_ADMISSION_POLICIES } from '../../../api/resources.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { discoverAll } from '../discovered.ts';
import type { Reconciler } from '../reconciler.ts';
import { kindsFor } from './kinds.ts';
import { KindTypes } from './kind-types.ts';

/** Upstream's name in managedFields. */
const MANAGER = 'validatingadmissionpolicy-status';

export function policyStatus(client: Client, informers: Informers): Reconciler {
	const policies = informers.get(VALIDATING_ADMISSION_POLICIES);
	return {
		sources: [keysFrom(policies)],
		async reconcile(key, signal) {
			const policy = policies.lister.get(key);
			const generation = policy?.metadata.generation ?? 0;
			if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return;
			const spec = policy.spec ?? {};
			const served = (spec.matchConstraints?.resourceRules ?? []).length === 0 ? [] : await discoverAll(client, signal);
			const types = new KindTypes(client, signal);
			const typed = await Promise.all(
				kindsToCheck(spec, (resource) => kindsFor(served, resource)).map(async (kind) => ({ ...kind, type: await types.of(kind) })),
			);
			const known = typed.flatMap(({ type, ...kind }) => (type === undefined ? [] : [{ ...kind, type }]));
			const warnings = await inTurns(warningsInSteps(spec, known, await types.ofParams(spec.paramKind)));
			const status = {
				observedGeneration: generation,
				typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
			};
			const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: key }, status };
			await client.patch(
				VALIDATING_ADMISSION_POLICIES,
				key,
				{ type: 'apply', body, force: true },
				{ fieldManager: MANAGER, subresource: 'status', signal },
			);
		},
	};
}

/** Lets others have their turn after each step. */
async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
	for (;;) {
		const { done, value } = steps.next();
		if (done === true) return value;
		await new Promise((resolve) => setImmediate(resolve));
	}
}
