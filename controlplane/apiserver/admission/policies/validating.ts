/** ValidatingAdmissionPolicy: policies in CEL, bound to what they look at; what they refuse is denied, warned about or noted in the audit log. */
import { goJson } from '../../../../api/go-json.ts';
import { validatingExpressions } from '../../../../api/cel/admission/policy.ts';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '../../../../api/gen/types.ts';
import { VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS } from '../../../../api/resources.ts';
import { StatusError } from '../../../../api/status.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer, Maybe } from '../../contracts.ts';
import { policyErrorOf, type Enforcement, type PolicyError, type PolicyMeasures } from '../../metrics/policy-metrics.ts';
import type { WebhookMeasures } from '../../metrics/webhook-metrics.ts';
import type { Kinds } from '../../registry/kinds.ts';
import type { Matching } from '../matching/resources.ts';
import { isBeyondPolicies } from '../matching/rules.ts';
import { namespaceOf } from '../matching/selectors.ts';
import { refusal } from '../refusal.ts';
import { CompiledPolicies } from './compiled.ts';
import { withDecisions } from './decisions.ts';
import { invocations } from './invocations.ts';
import { verdict, type PolicyDenial, type Verdict } from './validation.ts';

export interface PolicyDeps extends Matching {
	readonly kinds: Kinds;
	readonly authorizer: Authorizer;
	readonly clock: Clock;
	/** Absent: nobody counts. */
	readonly measures?: PolicyMeasures | undefined;
	/** Of match conditions. */
	readonly conditions?: WebhookMeasures['conditions'] | undefined;
}

interface Denial {
	readonly policy: ValidatingAdmissionPolicy;
	readonly binding: ValidatingAdmissionPolicyBinding | undefined;
	readonly message: string;
	readonly reason: string;
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };
const FAILURE_NOTE = 'validation.policy.admission.k8s.io/validation_failure';

export class ValidatingPolicies implements AdmissionPlugin {
	readonly name = 'ValidatingAdmissionPolicy';
	readonly #deps: PolicyDeps;
	readonly #compiled = new CompiledPolicies((policy: ValidatingAdmissionPolicy) => validatingExpressions(policy.spec ?? {}));

	constructor(deps: PolicyDeps) {
		this.#deps = deps;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return !isBeyondPolicies(attributes);
	}

	validate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const policies = this.#deps.objects.list(VALIDATING_ADMISSION_POLICIES);
		return policies.length === 0 ? undefined : this.#judge(policies, attributes, signal);
	}

	async #judge(policies: readonly ValidatingAdmissionPolicy[], attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const { objects, versions, authorizer, clock } = this.#deps;
		const denials: Denial[] = [];
		const notes = new Map<string, Set<string>>();
		for (const found of await invocations(policies, objects.list(VALIDATING_ADMISSION_POLICY_BINDINGS), attributes, this.#deps, signal)) {
			const { policy, binding } = found;
			const failsOpen = policy.spec?.failurePolicy === 'Ignore';
			if (found.type === 'broken') {
				if (!failsOpen) denials.push({ policy, binding, message: found.why, reason: 'Invalid' });
				continue;
			}
			const versioned = await versions.versioned(found.named, attributes, signal);
			const seen = { attributes, versioned, namespace: namespaceOf(attributes, objects), params: found.params };
			const expressions = this.#compiled.of(policy);
			const started = clock.monotonic();
			const said = await withDecisions(authorizer, attributes.user, signal, (decide) =>
				verdict(expressions, seen, failsOpen, decide, () => clock.monotonic()),
			);
			this.#count(found.policy, found.binding, attributes, said, (clock.monotonic() - started) / 1000);
			for (const denial of said.denials) act(attributes, found.policy, found.binding, denial, denials);
			for (const message of said.noteErrors) denials.push({ policy, binding, message, reason: 'Invalid' });
			for (const { key, value } of said.notes) {
				const name = `${policy.metadata.name}/${key}`;
				notes.set(name, (notes.get(name) ?? new Set()).add(value));
			}
		}
		for (const [key, values] of notes) attributes.annotate?.(key, [...values].join(', '));
		const [first] = denials;
		if (first !== undefined) throw denied(attributes, first);
	}

	#count(
		{ metadata: { name: policy = '' } }: ValidatingAdmissionPolicy,
		binding: ValidatingAdmissionPolicyBinding,
		{ operation }: AdmissionAttributes,
		{ denials, ignored, noteErrors, conditions }: Verdict,
		seconds: number,
	): void {
		const { measures, conditions: conditioned } = this.#deps;
		const decided = (action: Enforcement, error: PolicyError): void =>
			measures?.validated(policy, binding.metadata.name ?? '', error, action, seconds);
		if (conditions !== undefined)
			conditioned?.({ name: policy, kind: 'policy', type: 'validate', operation }, conditions.outcome, conditions.seconds);
		for (const message of ignored) decided('allow', policyErrorOf(message));
		for (const { isError, message } of denials)
			for (const action of binding.spec?.validationActions ?? [])
				decided(action.toLowerCase() as Enforcement, isError ? policyErrorOf(message) : 'no_error');
		for (const message of noteErrors) decided('deny', policyErrorOf(message));
	}
}

function act(
	attributes: AdmissionAttributes,
	policy: ValidatingAdmissionPolicy,
	binding: ValidatingAdmissionPolicyBinding,
	{ index, message, reason }: PolicyDenial,
	denials: Denial[],
): void {
	const { validationActions = [], policyName } = binding.spec ?? {};
	const { name } = binding.metadata;
	for (const action of validationActions)
		switch (action) {
			case 'Deny':
				denials.push({ policy, binding, message, reason });
				break;
			case 'Warn':
				attributes.warn(`Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${name}': ${message}`);
				break;
			case 'Audit':
				attributes.annotate?.(
					FAILURE_NOTE,
					goJson([{ message, policy: policyName, binding: name, expressionIndex: index, validationActions }]),
				);
		}
}

/** Forbidden in its message, with the reason and code that the validation names. */
function denied(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
	const bound = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`;
	const text = `ValidatingAdmissionPolicy '${policy.metadata.name}'${bound} denied request: ${message}`;
	const { status } = refusal(attributes, text);
	const causes = [...(status.details?.causes ?? []), { message: text }];
	return new StatusError({ ...status, reason, code: CODES[reason] ?? 422, details: { ...status.details, causes } });
}
