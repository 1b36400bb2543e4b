/** The fields of an AuthorizationConfiguration, as its file has them. */

/** Authorizers that say no more than their type. */
export const PLAIN = ['Node', 'RBAC', 'AlwaysAllow', 'AlwaysDeny'] as const;

export interface AuthorizerShape {
	readonly type?: string;
	readonly name?: string;
	readonly webhook?: WebhookShape;
}
export interface WebhookShape {
	readonly authorizedTTL?: string;
	readonly unauthorizedTTL?: string;
	readonly cacheAuthorizedRequests?: boolean;
	readonly cacheUnauthorizedRequests?: boolean;
	readonly timeout?: string;
	readonly subjectAccessReviewVersion?: string;
	readonly matchConditionSubjectAccessReviewVersion?: string;
	readonly failurePolicy?: string;
	readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
	readonly matchConditions?: readonly { readonly expression?: string }[];
}
