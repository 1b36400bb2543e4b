/** RBAC, certificates, admission and flow control in tables. Pure. */
import type {
	APIService,
	CertificateSigningRequest,
	ClusterRoleBinding,
	FlowSchema,
	LabelSelector,
	MutatingWebhookConfiguration,
	PriorityLevelConfiguration,
	RoleBinding,
	ValidatingAdmissionPolicy,
	ValidatingAdmissionPolicyBinding,
	ValidatingWebhookConfiguration,
} from '../../../api/gen/types.ts';
import { age, columns, humanDuration, orNone, type Cell, type Printer } from './column.ts';

export const bindingPrinter: Printer = {
	columns: columns('Name', 'Role', 'Age', 'Users*', 'Groups*', 'ServiceAccounts*'),
	cells(b: RoleBinding | ClusterRoleBinding, now): readonly Cell[] {
		const of = (kind: string): string =>
			(b.subjects ?? [])
				.filter((s) => s.kind === kind)
				.map((s) => (kind === 'ServiceAccount' ? `${s.namespace ?? ''}/${s.name}` : s.name))
				.join(', ');
		const { roleRef } = b as Partial<RoleBinding>;
		return [
			b.metadata.name ?? '',
			`${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
			age(b, now),
			of('User'),
			of('Group'),
			of('ServiceAccount'),
		];
	},
};

export const certificateSigningRequestPrinter: Printer = {
	columns: columns('Name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'),
	cells(c: CertificateSigningRequest, now): readonly Cell[] {
		const types = new Set((c.status?.conditions ?? []).map((x) => x.type));
		const states = [types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending'];
		if (types.has('Failed')) states.push('Failed');
		if ((c.status?.certificate ?? '') !== '') states.push('Issued');
		const seconds = c.spec?.expirationSeconds;
		return [
			c.metadata.name ?? '',
			age(c, now),
			orNone(c.spec?.signerName),
			c.spec?.username ?? '',
			seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
			states.join(','),
		];
	},
};

const webhookPrinter = (webhooks: (object: never) => number): Printer => ({
	columns: columns('Name', 'Webhooks:integer', 'Age'),
	cells: (o: never, now): readonly Cell[] => [
		(o as MutatingWebhookConfiguration).metadata.name ?? '',
		webhooks(o),
		age(o as MutatingWebhookConfiguration, now),
	],
});
export const mutatingWebhookPrinter = webhookPrinter((o: MutatingWebhookConfiguration) => o.webhooks?.length ?? 0);
export const validatingWebhookPrinter = webhookPrinter((o: ValidatingWebhookConfiguration) => o.webhooks?.length ?? 0);

const policy = (word: string): Printer['columns'] => columns('Name', `${word}:integer`, 'ParamKind', 'Age');
const paramKind = (kind: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined } | undefined): string =>
	kind === undefined ? '<unset>' : `${kind.apiVersion}/${kind.kind}`;

export const validatingPolicyPrinter: Printer = {
	columns: policy('Validations'),
	cells: (p: ValidatingAdmissionPolicy, now): readonly Cell[] => [
		p.metadata.name ?? '',
		p.spec?.validations?.length ?? 0,
		paramKind(p.spec?.paramKind),
		age(p, now),
	],
};

export const mutatingPolicyPrinter: Printer = {
	columns: policy('Mutations'),
	cells: (
		p: {
			readonly metadata: RoleBinding['metadata'];
			readonly spec?: { readonly mutations?: readonly unknown[]; readonly paramKind?: { apiVersion?: string; kind?: string } };
		},
		now,
	): readonly Cell[] => [p.metadata.name ?? '', p.spec?.mutations?.length ?? 0, paramKind(p.spec?.paramKind), age(p, now)],
};

/** A selector as Go's generated code writes one: its fields, labels sorted by key. */
function selectorValue({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
	const labels = Object.keys(matchLabels)
		.toSorted()
		.map((key) => `${key}: ${matchLabels[key]},`);
	const expressions = matchExpressions.map(
		({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
	);
	return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

export const policyBindingPrinter: Printer = {
	columns: columns('Name', 'PolicyName', 'ParamRef', 'Age'),
	cells(b: ValidatingAdmissionPolicyBinding, now): readonly Cell[] {
		const ref = b.spec?.paramRef;
		const param =
			ref === undefined
				? '<unset>'
				: ref.name !== undefined && ref.name !== ''
					? ref.namespace
						? `${ref.namespace}/${ref.name}`
						: `*/${ref.name}`
					: ref.selector === undefined
						? '<unset>'
						: selectorValue(ref.selector);
		return [b.metadata.name ?? '', b.spec?.policyName ?? '', param, age(b, now)];
	},
};

export const flowSchemaPrinter: Printer = {
	columns: columns('Name', 'PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod', 'Age', 'MissingPL'),
	cells(f: FlowSchema, now): readonly Cell[] {
		const dangling = f.status?.conditions?.find((c) => c.type === 'Dangling')?.status;
		return [
			f.metadata.name ?? '',
			f.spec?.priorityLevelConfiguration?.name ?? '',
			f.spec?.matchingPrecedence ?? 0,
			orNone(f.spec?.distinguisherMethod?.type),
			age(f, now),
			dangling === undefined ? '?' : dangling,
		];
	},
};

export const priorityLevelPrinter: Printer = {
	columns: columns('Name', 'Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit', 'Age'),
	cells(p: PriorityLevelConfiguration, now): readonly Cell[] {
		const limited = p.spec?.limited;
		const queuing = p.spec?.limited?.limitResponse?.queuing;
		const text = (n: number | undefined): string | number => n ?? '<none>';
		return [
			p.metadata.name ?? '',
			p.spec?.type ?? '',
			text(limited?.nominalConcurrencyShares),
			text(queuing?.queues),
			text(queuing?.handSize),
			text(queuing?.queueLengthLimit),
			age(p, now),
		];
	},
};

export const apiServicePrinter: Printer = {
	columns: columns('Name', 'Service', 'Available', 'Age'),
	cells(a: APIService, now): readonly Cell[] {
		const service = a.spec?.service;
		const available = a.status?.conditions?.find((c) => c.type === 'Available');
		const state =
			available === undefined
				? 'Unknown'
				: available.status === 'True' || !available.reason
					? available.status
					: `${available.status} (${available.reason})`;
		return [a.metadata.name ?? '', service === undefined ? 'Local' : `${service.namespace}/${service.name}`, state, age(a, now)];
	},
};
