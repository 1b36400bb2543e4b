/** CertificateSigningRequests: the request, its usages and signer; conditions and certificate through their subresources. */
import { duplicate, fieldForbidden, invalidValue, required, tooLong } from '../../field-error.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../gen/types.ts';
import { jsonDiff } from '../../internal/diff.ts';
import { internalForm } from '../../internal/form.ts';
import { pemBlocks } from '../../pem-blocks.ts';
import { certificateFault } from './certificate-fault.ts';
import { dnsLabel, dnsSubdomain, pathSegment } from '../names.ts';
import { objectMeta, objectMetaUpdate } from '../metadata.ts';
import { oneOf, same, texts, Unique, type Errors } from '../rule.ts';

/** Upstream's rule for this kind asks nothing of the name; what every kind's must be is looked at last, where all else is well. */
const META = { name: () => [], namespaced: false, finalizers: true };
const MIN_SECONDS = 600;
const CSR_TYPE = 'CERTIFICATE REQUEST';
const USAGES = [
	'any',
	'cert sign',
	'client auth',
	'code signing',
	'content commitment',
	'crl sign',
	'data encipherment',
	'decipher only',
	'digital signature',
	'email protection',
	'encipher only',
	'ipsec end system',
	'ipsec tunnel',
	'ipsec user',
	'key agreement',
	'key encipherment',
	'microsoft sgc',
	'netscape sgc',
	'ocsp signing',
	's/mime',
	'server auth',
	'signing',
	'timestamping',
];
const MAX_DOMAIN = 253;
const MAX_SIGNER = 571;
/** Of requests that were made by an older version. */
const LEGACY = 'kubernetes.io/legacy-unknown';

export function certificateSigningRequest(out: Errors, object: CertificateSigningRequest): void {
	objectMeta(out, object.metadata, META);
	requestSpec(out, object.spec, undefined);
	conditions(out, object.status?.conditions ?? [], []);
	certificate(out, object.status?.certificate);
	if (out.length === 0) objectMeta(out, object.metadata, { ...META, name: pathSegment });
}

type Spec = CertificateSigningRequest['spec'];

/** @param before that of the request that is updated, the faults of which may stay */
function requestSpec(out: Errors, spec: Spec | undefined, before: Spec | undefined): void {
	const [block] = pemBlocks(Buffer.from(spec?.request ?? '', 'base64'));
	if (block?.type !== CSR_TYPE) out.push(invalidValue('spec.request', spec?.request ?? null, `PEM block type must be ${CSR_TYPE}`));
	else if (derLength(block.der) !== block.der.length)
		out.push(invalidValue('spec.request', spec?.request ?? null, "asn1: structure error: tags don't match"));
	const usages = spec?.usages ?? [];
	if (usages.length === 0) out.push(required('spec.usages'));
	const known = before?.usages ?? [];
	if (known.every((usage) => USAGES.includes(usage)))
		for (const [i, usage] of usages.entries()) oneOf(out, `spec.usages[${i}]`, usage, USAGES);
	const seen = new Unique();
	if (new Set(known).size === known.length) for (const [i, usage] of usages.entries()) seen.check(out, `spec.usages[${i}]`, usage);
	if (spec?.signerName === LEGACY && before?.signerName !== LEGACY)
		out.push(invalidValue('spec.signerName', LEGACY, 'the legacy signerName is not allowed via this API version'));
	else signerName(out, 'spec.signerName', spec?.signerName ?? '');
	if (spec?.expirationSeconds !== undefined && spec.expirationSeconds < MIN_SECONDS)
		out.push(
			invalidValue('spec.expirationSeconds', spec.expirationSeconds, 'may not specify a duration less than 600 seconds (10 minutes)'),
		);
}

/** "example.com/signer-name": a domain of at least two labels, and a path. */
export function signerName(out: Errors, path: string, name: string): void {
	if (name === '') {
		out.push(required(path));
		return;
	}
	const segments = name.split('/');
	const [domain = '', signer = ''] = segments;
	if (segments.length !== 2) {
		out.push(invalidValue(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
		return;
	}
	if (Buffer.byteLength(domain) > MAX_DOMAIN) out.push(tooLong(path, MAX_DOMAIN));
	// Only the first label that is wrong is told of.
	const label = domain.split('.').find((one) => dnsLabel(one).length > 0);
	if (label !== undefined)
		texts(
			out,
			path,
			domain,
			dnsLabel(label).map((text) => `validating label ${JSON.stringify(label)}: ${text}`),
		);
	if (domain.split('.').length < 2) out.push(invalidValue(path, domain, 'should be a domain with at least two segments separated by dots'));
	const part = signer.split('.').find((one) => dnsSubdomain(one).length > 0);
	if (part !== undefined)
		texts(
			out,
			path,
			signer,
			dnsSubdomain(part).map((text) => `validating label ${JSON.stringify(part)}: ${text}`),
		);
	if (Buffer.byteLength(name) > MAX_SIGNER)
		out.push({
			...invalidValue(path, name, ''),
			reason: 'FieldValueTooLong',
			message: `Too long: may not be more than ${MAX_SIGNER} bytes`,
		});
}

/** Between two answers of signers: spec and status are not theirs to change. */
export function certificateSigningRequestUpdate(out: Errors, object: CertificateSigningRequest, old: CertificateSigningRequest): void {
	anyUpdate(out, object, old, {});
}

export function certificateApproval(out: Errors, object: CertificateSigningRequest, old: CertificateSigningRequest): void {
	anyUpdate(out, object, old, { approves: true });
}

export function certificateStatus(out: Errors, object: CertificateSigningRequest, old: CertificateSigningRequest): void {
	anyUpdate(out, object, old, { signs: true });
}

function anyUpdate(
	out: Errors,
	object: CertificateSigningRequest,
	old: CertificateSigningRequest,
	{ approves = false, signs = false }: { readonly approves?: boolean; readonly signs?: boolean },
): void {
	wholeRequest(out, object, old);
	keptConditions(out, object, old, approves);
	if (!same(object.status?.certificate, old.status?.certificate)) {
		if (!signs) out.push(fieldForbidden('status.certificate', 'updates may not set certificate content'));
		else if ((old.status?.certificate ?? '') !== '')
			out.push(fieldForbidden('status.certificate', 'updates may not modify existing certificate content'));
	}
	objectMetaUpdate(out, object.metadata, old.metadata);
}

/** What holds for every write; faults that the old object has already are let be. */
function wholeRequest(out: Errors, object: CertificateSigningRequest, old: CertificateSigningRequest): void {
	objectMeta(out, object.metadata, META);
	requestSpec(out, object.spec, old.spec);
	conditions(out, object.status?.conditions ?? [], old.status?.conditions ?? []);
	if (!same(object.status?.certificate, old.status?.certificate)) certificate(out, object.status?.certificate);
}

type Condition = CertificateSigningRequestCondition;

const OPPOSITES: Readonly<Partial<Record<string, string>>> = { Approved: 'Denied', Denied: 'Approved' };

function conditions(out: Errors, list: readonly Condition[], before: readonly Condition[]): void {
	const had = new Set<string>(before.map(({ type }) => type));
	const wasBoth = had.has('Approved') && had.has('Denied');
	const hadTwice = had.size < before.length;
	const types = new Set<string>();
	for (const [i, { type, status }] of list.entries()) {
		const at = `status.conditions[${i}]`;
		if ((type as string) === '' && !had.has('')) out.push(required(`${at}.type`));
		const final = ['Approved', 'Denied', 'Failed'].includes(type);
		if ((status as string) === '') out.push(required(`${at}.status`));
		else if (final ? status !== 'True' : !['True', 'False', 'Unknown'].includes(status))
			out.push({
				reason: 'FieldValueNotSupported',
				field: `${at}.status`,
				message: `Unsupported value: ${JSON.stringify(status)}: supported values: ${(final ? ['True'] : ['False', 'True', 'Unknown']).map((s) => JSON.stringify(s)).join(', ')}`,
			});
		const opposite = OPPOSITES[type];
		if (opposite !== undefined && types.has(opposite) && !wasBoth)
			out.push(invalidValue('status.conditions', type, 'Approved and Denied conditions are mutually exclusive'));
		if (types.has(type) && !hadTwice) out.push(duplicate(`${at}.type`, type));
		types.add(type);
	}
}

/** What was decided stays; it is decided where requests are approved, and nowhere else. */
function keptConditions(out: Errors, object: CertificateSigningRequest, old: CertificateSigningRequest, approves: boolean): void {
	const of = ({ status }: CertificateSigningRequest, type: string): readonly Condition[] =>
		(status?.conditions ?? []).filter((c) => c.type === type);
	const may = (verb: string, type: string, more = ''): void =>
		void out.push(fieldForbidden('status.conditions', `updates may not ${verb} a condition of type ${JSON.stringify(type)}${more}`));
	for (const type of ['Approved', 'Denied', 'Failed']) if (of(object, type).length < of(old, type).length) may('remove', type);
	if (approves) return;
	for (const type of ['Approved', 'Denied']) {
		const [now, before] = [of(object, type), of(old, type)];
		if (now.length > before.length) may('add', type);
		else if (now.length === before.length && !same(now, before))
			may('modify', type, `\n${jsonDiff(before.map(shownCondition), now.map(shownCondition))}`);
	}
}

const shownCondition = (condition: Condition): unknown => internalForm('certificates/v1.CertificateSigningRequestCondition', condition);

function certificate(out: Errors, given: string | undefined | null): void {
	if (given === undefined || given === null || given === '') return;
	const fault = certificateFault(Buffer.from(given, 'base64'));
	if (fault !== undefined) out.push(invalidValue('status.certificate', '<certificate data>', fault));
}

/** How long the DER sequence says that it is, with its head; undefined for none. */
function derLength(bytes: Buffer): number | undefined {
	if (bytes[0] !== 0x30) return undefined;
	const first = bytes[1] ?? 0;
	if (first < 0x80) return first + 2;
	const size = first & 0x7f;
	let length = 0;
	for (let i = 0; i < size; i++) length = length * 256 + (bytes[2 + i] ?? 0);
	return length + 2 + size;
}
