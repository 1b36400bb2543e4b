/** MutatingAdmissionPolicy: policies in CEL that change objects, by apply configurations or JSON patches, and again where they ask for it. */
import { mutatingExpressions, type MutatingExpressions } from '../../../../api/cel/admission/policy.ts';
import { MATCH_CONDITIONS_BUDGET, RUNTIME_BUDGET } from '../../../../api/cel/environment.ts';
import type { Decide } from '../../../../api/cel/admission/authorizer.ts';
import { EvalError } from '../../../../api/cel/errors.ts';
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutation } from '../../../../api/gen/types.ts';
import { unstructuredComplaint } from '../../../../api/codec/from-unstructured.ts';
import type { KindName } from '../../../../api/kind-name.ts';
import { schemaOfKind } from '../../../../api/schema.ts';
import { objectShape } from '../../../../api/apply/kind-shape.ts';
import { keyOf, type KubeObject } from '../../../../api/resource.ts';
import { MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS } from '../../../../api/resources.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { internalError, serviceUnavailable, StatusError } from '../../../../api/status.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe } from '../../contracts.ts';
import { policyErrorOf, type PolicyError } from '../../metrics/policy-metrics.ts';
import { isBeyondPolicies } from '../matching/rules.ts';
import { namespaceOf } from '../matching/selectors.ts';
import { kindNameOf, requestedOf, type Named } from '../matching/versions.ts';
import { Reinvocation, replaceContents } from '../reinvocation.ts';
import { refusal } from '../refusal.ts';
import { conditionsSeen, variablesOf, type Seen } from './activation.ts';
import { CompiledPolicies } from './compiled.ts';
import { conditionsHold } from './conditions.ts';
import { withDecisions } from './decisions.ts';
import { Evaluation, OutOfBudget } from './evaluation.ts';
import { invocations, type Invocation } from './invocations.ts';
import { withConfiguration, withJsonPatch } from './patch.ts';
import type { PolicyDeps } from './validating.ts';

type Found = Invocation<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;
type Look = Extract<Found, { readonly type: 'look' }>;

export class MutatingPolicies implements AdmissionPlugin {
	readonly name = 'MutatingAdmissionPolicy';
	readonly #deps: PolicyDeps;
	readonly #compiled = new CompiledPolicies((policy: MutatingAdmissionPolicy) => mutatingExpressions(policy.spec ?? {}));

	constructor(deps: PolicyDeps) {
		this.#deps = deps;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return attributes.object !== undefined && !isBeyondPolicies(attributes);
	}

	mutate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const policies = this.#deps.objects.list(MUTATING_ADMISSION_POLICIES);
		const { object } = attributes;
		return policies.length === 0 || object === undefined ? undefined : this.#change(policies, object, attributes, signal);
	}

	async #change(
		policies: readonly MutatingAdmissionPolicy[],
		object: KubeObject,
		attributes: AdmissionAttributes,
		signal: AbortSignal,
	): Promise<void> {
		const { objects } = this.#deps;
		const reinvocation = attributes.reinvocation ?? new Reinvocation();
		const rounds = reinvocation.begin(this.name, object);
		const errors: Complaint[] = [];
		for (const found of await invocations(policies, objects.list(MUTATING_ADMISSION_POLICY_BINDINGS), attributes, this.#deps, signal)) {
			const { policy } = found;
			const id = idOf(found);
			if (found.type === 'look' && reinvocation.isSecond && !rounds.again.has(id)) continue;
			const before = JSON.stringify(object);
			const whys = found.type === 'broken' ? [found.why] : await this.#perform(found, attributes, signal);
			if (policy.spec?.failurePolicy !== 'Ignore')
				errors.push(...whys.map((why) => ({ isBroken: found.type === 'broken', message: denial(found, why) })));
			if (found.type === 'broken') continue;
			if (!sameJson(JSON.parse(before), JSON.parse(JSON.stringify(object)))) reinvocation.changed(this.name);
			if (policy.spec?.reinvocationPolicy === 'IfNeeded') rounds.asked.add(id);
		}
		rounds.left = JSON.stringify(object);
		if (errors.length > 0) throw denied(attributes, errors);
	}

	/** Changes the object by each mutation in turn; what went wrong. */
	async #perform(found: Look, attributes: AdmissionAttributes, signal: AbortSignal): Promise<readonly string[]> {
		const { authorizer, objects, clock, measures, conditions: conditioned } = this.#deps;
		const { policy, binding } = found;
		const name = policy.metadata.name ?? '';
		const expressions = this.#compiled.of(found.policy);
		const errors: string[] = [];
		const look = async (): Promise<Seen> => ({
			attributes,
			versioned: await this.#deps.versions.versioned(found.named, attributes, signal),
			namespace: namespaceOf(attributes, objects),
			params: found.params,
		});
		const decided = <T>(evaluate: (decide: Decide) => T): Promise<T> => withDecisions(authorizer, attributes.user, signal, evaluate);
		const first = await look();
		const started = clock.monotonic();
		const conditions = await decided((decide) => {
			const evaluation = new Evaluation(variablesOf(conditionsSeen(first), decide), expressions.variables, MATCH_CONDITIONS_BUDGET);
			return conditionsHold(expressions.conditions, evaluation);
		});
		if (expressions.conditions.length > 0)
			conditioned?.(
				{ name, kind: 'policy', type: 'validate', operation: attributes.operation },
				'error' in conditions ? 'error' : conditions.matches ? 'match' : 'exclusion',
				(clock.monotonic() - started) / 1000,
			);
		if ('error' in conditions) return [conditions.error];
		if (!conditions.matches) return [];
		for (const mutation of expressions.mutations) {
			const begun = clock.monotonic();
			const counted = (error: PolicyError): void =>
				measures?.mutated(name, binding.metadata.name ?? '', error, (clock.monotonic() - begun) / 1000);
			try {
				const seen = await look();
				const changed = await decided((decide) => mutated(expressions, mutation, seen, decide));
				if (attributes.object !== undefined) {
					const next = changed === undefined ? undefined : await this.#read(found, mutation.mutation, changed, attributes, signal);
					checkVersion(found.named, attributes);
					if (next !== undefined) replaceContents(attributes.object, next);
				}
				counted('no_error');
			} catch (error) {
				counted(policyErrorOf(messageOf(error)));
				if (error instanceof StatusError || !isReported(error)) throw error;
				errors.push(error.message);
			}
		}
		return errors;
	}

	/** What a mutation made, as the write has it. A JSON patch is read strictly; an apply configuration must fit the kind. */
	async #read(
		{ named }: Look,
		{ patchType }: Mutation,
		changed: unknown,
		attributes: AdmissionAttributes,
		signal: AbortSignal,
	): Promise<KubeObject> {
		const { versions } = this.#deps;
		if (patchType !== 'JSONPatch') {
			const complaint = misfit(kindNameOf(named), changed);
			if (complaint !== undefined) throw new AppError('InvalidArgument', complaint);
			return versions.from(named, changed, attributes, signal);
		}
		try {
			return await versions.from(named, changed, attributes, signal, { strictness: 'Strict' });
		} catch (error) {
			throw error instanceof StatusError && error.httpCode === 400 ? internalError(error.message) : error;
		}
	}
}

function misfit({ group, version, kind }: KindName, changed: unknown): string | undefined {
	const type = schemaOfKind(group, version, kind);
	const complaint = type === undefined ? undefined : unstructuredComplaint(type, changed);
	const groupVersion = group === '' ? version : `${group}/${version}`;
	return complaint === undefined ? undefined : `unable to convert unstructured object to ${groupVersion}, Kind=${kind}: ${complaint}`;
}

/** Upstream brings what it made into the version of the request as if it were in that one already. */
function checkVersion(named: Named, attributes: AdmissionAttributes): void {
	const [made, asked] = [kindNameOf(named), kindNameOf(requestedOf(attributes))];
	if (made.version !== asked.version)
		throw new AppError(
			'InvalidArgument',
			`converting (${made.version}.${made.kind}) to (${asked.version}.${asked.kind}): unknown conversion`,
		);
}

function isReported(error: unknown): error is Error {
	return error instanceof AppError || error instanceof EvalError || error instanceof OutOfBudget;
}

/** Undefined: nothing is to be changed. */
function mutated(
	expressions: MutatingExpressions,
	{ mutation, compiled }: MutatingExpressions['mutations'][number],
	seen: Seen,
	decide: Decide,
): unknown {
	const { object, named } = seen.versioned;
	if (object === undefined) return undefined;
	const isJson = mutation.patchType === 'JSONPatch';
	const source = (isJson ? mutation.jsonPatch?.expression : mutation.applyConfiguration?.expression) ?? '';
	const outcome = new Evaluation(variablesOf(seen, decide), expressions.variables, RUNTIME_BUDGET).evaluate(compiled, source);
	if ('error' in outcome) throw new AppError('InvalidArgument', outcome.error);
	if (isJson) return withJsonPatch(object, outcome.value);
	const { group, version, kind } = kindNameOf(named);
	// Types are known by the document of their own group version: those of subresources may stand in another one.
	if (group !== named.group || version !== named.version)
		throw new AppError(
			'InvalidArgument',
			`error applying patch: failed to convert patch object to typed object: no corresponding type for ${group}/${version}, Kind=${kind}`,
		);
	const shape = objectShape(group, version, kind);
	if (shape === undefined) {
		throw serviceUnavailable(
			`Resource kind ${group}/${version}, Kind=${kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
		);
	}
	return withConfiguration(shape.shape, object, outcome.value);
}

function idOf(found: Found): string {
	const params = found.type === 'look' && found.params !== undefined ? keyOf(found.params) : '';
	return `${found.policy.metadata.name} ${found.binding?.metadata.name} ${params}`;
}

function denial({ policy: { metadata }, binding }: Found, why: string): string {
	const bound = binding === undefined ? JSON.stringify(metadata.name) : `'${metadata.name}' with binding '${binding.metadata.name}'`;
	return `policy ${bound} denied request: ${why}`;
}

interface Complaint {
	/** Of a policy that is not set up right. */
	readonly isBroken: boolean;
	readonly message: string;
}

/** All complaints, those of policies that are not set up right before the others; the first is the message. */
function denied(attributes: AdmissionAttributes, complaints: readonly Complaint[]): StatusError {
	const { status } = refusal(attributes, '');
	const [first, ...others] = [...complaints.filter((c) => c.isBroken), ...complaints.filter((c) => !c.isBroken)];
	const causes = [first, ...others].map((complaint) => ({ message: complaint?.message ?? '' }));
	const reason = first?.isBroken === true ? 'Forbidden' : 'Invalid';
	return new StatusError({ ...status, message: first?.message ?? '', reason, details: { ...status.details, causes } });
}
