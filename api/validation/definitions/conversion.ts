/** Rules for the conversion of a CustomResourceDefinition. */
import { fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { CustomResourceConversion } from '../../gen/types.ts';
import { caBundleFault } from '../ca-bundle.ts';
import { dns1035Label } from '../names.ts';
import { oneOf, type Errors } from '../rule.ts';
import { webhookService, webhookUrl } from '../webhook-target.ts';
import type { DefinitionOption } from './options.ts';

/** Versions of ConversionReview that the server can send. */
export const REVIEWS: readonly string[] = ['v1', 'v1beta1'];

export function conversion(out: Errors, given: CustomResourceConversion | undefined, skips: ReadonlySet<DefinitionOption>): void {
	if (given === undefined) return;
	const at = 'spec.conversion';
	const { strategy = '', webhook } = given;
	if (strategy === '') out.push(required(`${at}.strategy`));
	else oneOf(out, `${at}.strategy`, strategy, ['None', 'Webhook']);
	const config = webhook?.clientConfig;
	const versions = webhook?.conversionReviewVersions ?? [];
	if (strategy !== 'Webhook') {
		const why = 'should not be set when strategy is not set to Webhook';
		if (config !== undefined) out.push(fieldForbidden(`${at}.webhookClientConfig`, why));
		if (versions.length > 0) out.push(fieldForbidden(`${at}.conversionReviewVersions`, why));
		return;
	}
	if (config === undefined) out.push(required(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook'));
	else if ((config.url === undefined) === (config.service === undefined))
		out.push(required(`${at}.webhookClientConfig`, 'exactly one of url or service is required'));
	else if (config.url !== undefined) webhookUrl(out, `${at}.webhookClientConfig.url`, config.url);
	else if (config.service !== undefined) webhookService(out, `${at}.webhookClientConfig.service`, config.service);
	const fault = skips.has('faultyBundle') ? undefined : caBundleFault(config?.caBundle);
	if (fault !== undefined) out.push(invalidValue(`${at}.webhookClientConfig.caBundle`, config?.caBundle, fault));
	reviewVersions(out, versions, `${at}.conversionReviewVersions`, skips.has('unknownReviews'));
}

function reviewVersions(out: Errors, versions: readonly string[], path: string, mayBeUnknown: boolean): void {
	if (versions.length === 0) {
		out.push(required(path));
		return;
	}
	versions.forEach((version, i) => {
		if (versions.indexOf(version) < i) out.push(invalidValue(`${path}[${i}]`, version, 'duplicate version'));
		else for (const why of dns1035Label(version)) out.push(invalidValue(`${path}[${i}]`, version, why));
	});
	if (!mayBeUnknown && !versions.some((version) => REVIEWS.includes(version)))
		out.push(invalidValue(path, versions, `must include at least one of ${REVIEWS.join(', ')}`));
}
