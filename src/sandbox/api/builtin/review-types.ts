import type { ApiObject } from '../api-object.ts';
import { defineType } from '../define-type.ts';
import { getIn, textOf } from '../json.ts';
import { builtinSchema } from './builtin-schemas.ts';
import type { ResourceType } from '../resource-type.ts';

/** Reviews answer a question and are not kept. Whoever got past authentication may do everything. */
export function reviewTypes(): readonly ResourceType[] {
  const authorization = { group: 'authorization.k8s.io', version: 'v1' };
  const authentication = { group: 'authentication.k8s.io', version: 'v1' };
  const allowed = (object: ApiObject) => ({ ...object, status: { allowed: true } });
  return [
    defineType({
      ...authorization,
      plural: 'selfsubjectaccessreviews',
      kind: 'SelfSubjectAccessReview',
      schema: builtinSchema('authz.SelfSubjectAccessReview'),
      namespaced: false,
      answer: allowed,
    }),
    defineType({
      ...authorization,
      plural: 'subjectaccessreviews',
      kind: 'SubjectAccessReview',
      schema: builtinSchema('authz.SubjectAccessReview'),
      namespaced: false,
      answer: allowed,
    }),
    defineType({
      ...authorization,
      plural: 'localsubjectaccessreviews',
      kind: 'LocalSubjectAccessReview',
      schema: builtinSchema('authz.LocalSubjectAccessReview'),
      namespaced: true,
      answer: allowed,
    }),
    defineType({
      ...authorization,
      plural: 'selfsubjectrulesreviews',
      kind: 'SelfSubjectRulesReview',
      schema: builtinSchema('authz.SelfSubjectRulesReview'),
      namespaced: false,
      answer: allRules,
    }),
    defineType({
      ...authentication,
      plural: 'tokenreviews',
      kind: 'TokenReview',
      schema: builtinSchema('authn.TokenReview'),
      namespaced: false,
      answer: tokenReview,
    }),
    defineType({
      ...authentication,
      plural: 'selfsubjectreviews',
      kind: 'SelfSubjectReview',
      schema: builtinSchema('authn.SelfSubjectReview'),
      namespaced: false,
      answer: selfReview,
    }),
  ];
}

function allRules(object: ApiObject): ApiObject {
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];
  return { ...object, status: { resourceRules, nonResourceRules, incomplete: false } };
}

function tokenReview(object: ApiObject): ApiObject {
  const authenticated = textOf(getIn(object, ['spec', 'token'])) !== '';
  const user = {
    username: 'sandbox-admin',
    uid: 'sandbox-admin',
    groups: ['system:masters', 'system:authenticated'],
  };
  return { ...object, status: authenticated ? { authenticated, user } : { authenticated } };
}

function selfReview(object: ApiObject, user: string): ApiObject {
  return {
    ...object,
    status: { userInfo: { username: user, groups: ['system:masters', 'system:authenticated'] } },
  };
}
