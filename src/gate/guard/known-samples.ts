/**
 * Sample fetches and converters whose arguments are no files, of all HAProxy lines that are supported. A test compares it with what each
 * HAProxy says of itself (`-dKall`).
 */
export const knownSamples: ReadonlySet<string> = new Set(
  `
  accept_date acl add add_item aes_cbc_dec aes_cbc_enc aes_gcm_dec aes_gcm_enc and avg_queue bc_rtt bc_rttvar be2dec be2hex
  be_conn be_conn_free be_sess_rate bin bool bs.debug_str bytes capture-req capture-res capture.req.hdr capture.res.hdr concat
  connslots cook cook_cnt cook_val cookie crc32 crc32c date debug digest distcc_body distcc_param div djb2 dump_all_vars env
  fc_fackets fc_lost fc_pp_tlv fc_reordering fc_retrans fc_rtt fc_rttvar fc_sacked fc_unacked fe_conn fe_req_rate fe_sess_rate
  field fix_tag_value fs.debug_str has_ctl hdr hdr_cnt hdr_ip hdr_val hmac http_auth http_auth_bearer http_auth_group http_date
  iif in_table int internal.htx_blk.data internal.htx_blk.hdrname internal.htx_blk.hdrval internal.htx_blk.size
  internal.htx_blk.start_line internal.htx_blk.type ip.fp ipmask ipv4 ipv6 json json_query jwt_decrypt_jwk jwt_decrypt_secret
  jwt_header_query jwt_payload_query language le2dec ltime ltrim meth mod mqtt_field_value ms_ltime ms_utime mul nbsrv or param
  payload payload_lv protobuf query queue rand rdp_cookie rdp_cookie_cnt regsub req.body_param req.cook req.cook_cnt
  req.cook_names req.cook_val req.fhdr req.fhdr_cnt req.hdr req.hdr_cnt req.hdr_ip req.hdr_names req.hdr_val req.payload
  req.payload_lv req.rdp_cookie req.rdp_cookie_cnt request_date res.cook res.cook_cnt res.cook_names res.cook_val res.fhdr
  res.fhdr_cnt res.hdr res.hdr_cnt res.hdr_ip res.hdr_names res.hdr_val res.payload res.payload_lv rfc7239_field rtrim
  sc0_bytes_in_rate sc0_bytes_out_rate sc0_clr_gpc0 sc0_clr_gpc1 sc0_conn_cnt sc0_conn_cur sc0_conn_rate sc0_get_gpc0 sc0_get_gpc1
  sc0_get_gpt0 sc0_glitch_cnt sc0_glitch_rate sc0_gpc0_rate sc0_gpc1_rate sc0_http_err_cnt sc0_http_err_rate sc0_http_fail_cnt
  sc0_http_fail_rate sc0_http_req_cnt sc0_http_req_rate sc0_inc_gpc0 sc0_inc_gpc1 sc0_kbytes_in sc0_kbytes_out sc0_sess_cnt
  sc0_sess_rate sc0_tracked sc0_trackers sc1_bytes_in_rate sc1_bytes_out_rate sc1_clr_gpc sc1_clr_gpc0 sc1_clr_gpc1 sc1_conn_cnt
  sc1_conn_cur sc1_conn_rate sc1_get_gpc0 sc1_get_gpc1 sc1_get_gpt0 sc1_glitch_cnt sc1_glitch_rate sc1_gpc0_rate sc1_gpc1_rate
  sc1_http_err_cnt sc1_http_err_rate sc1_http_fail_cnt sc1_http_fail_rate sc1_http_req_cnt sc1_http_req_rate sc1_inc_gpc0
  sc1_inc_gpc1 sc1_kbytes_in sc1_kbytes_out sc1_sess_cnt sc1_sess_rate sc1_tracked sc1_trackers sc2_bytes_in_rate
  sc2_bytes_out_rate sc2_clr_gpc0 sc2_clr_gpc1 sc2_conn_cnt sc2_conn_cur sc2_conn_rate sc2_get_gpc0 sc2_get_gpc1 sc2_get_gpt0
  sc2_glitch_cnt sc2_glitch_rate sc2_gpc0_rate sc2_gpc1_rate sc2_http_err_cnt sc2_http_err_rate sc2_http_fail_cnt
  sc2_http_fail_rate sc2_http_req_cnt sc2_http_req_rate sc2_inc_gpc0 sc2_inc_gpc1 sc2_kbytes_in sc2_kbytes_out sc2_sess_cnt
  sc2_sess_rate sc2_tracked sc2_trackers sc_bytes_in_rate sc_bytes_out_rate sc_clr_gpc sc_clr_gpc0 sc_clr_gpc1 sc_conn_cnt
  sc_conn_cur sc_conn_rate sc_get_gpc sc_get_gpc0 sc_get_gpc1 sc_get_gpt sc_get_gpt0 sc_glitch_cnt sc_glitch_rate sc_gpc0_rate
  sc_gpc1_rate sc_gpc_rate sc_http_err_cnt sc_http_err_rate sc_http_fail_cnt sc_http_fail_rate sc_http_req_cnt sc_http_req_rate
  sc_inc_gpc sc_inc_gpc0 sc_inc_gpc1 sc_kbytes_in sc_kbytes_out sc_key sc_sess_cnt sc_sess_rate sc_tracked sc_trackers scook
  scook_cnt scook_val sdbm secure_memcmp set-var sha2 shdr shdr_cnt shdr_ip shdr_val src_bytes_in_rate src_bytes_out_rate
  src_clr_gpc src_clr_gpc0 src_clr_gpc1 src_conn_cnt src_conn_cur src_conn_rate src_get_gpc src_get_gpc0 src_get_gpc1 src_get_gpt
  src_get_gpt0 src_glitch_cnt src_glitch_rate src_gpc0_rate src_gpc1_rate src_gpc_rate src_http_err_cnt src_http_err_rate
  src_http_fail_cnt src_http_fail_rate src_http_req_cnt src_http_req_rate src_inc_gpc src_inc_gpc0 src_inc_gpc1 src_kbytes_in
  src_kbytes_out src_sess_cnt src_sess_rate src_updt_conn_cnt srv_conn srv_conn_free srv_is_up srv_iweight srv_queue srv_sess_rate
  srv_uweight srv_weight ssl_c_i_dn ssl_c_r_dn ssl_c_s_dn ssl_f_i_dn ssl_f_s_dn ssl_fc_cipherlist_bin ssl_fc_cipherlist_hex
  ssl_fc_cipherlist_str ssl_fc_eclist_bin ssl_fc_extlist_bin ssl_fc_sigalgs_bin ssl_fc_supported_versions_bin ssl_s_i_dn
  ssl_s_s_dn str strcmp sub table_avl table_bytes_in_rate table_bytes_out_rate table_clr_gpc table_clr_gpc0 table_clr_gpc1
  table_cnt table_conn_cnt table_conn_cur table_conn_rate table_expire table_glitch_cnt table_glitch_rate table_gpc table_gpc0
  table_gpc0_rate table_gpc1 table_gpc1_rate table_gpc_rate table_gpt table_gpt0 table_http_err_cnt table_http_err_rate
  table_http_fail_cnt table_http_fail_rate table_http_req_cnt table_http_req_rate table_idle table_inc_gpc table_inc_gpc0
  table_inc_gpc1 table_kbytes_in table_kbytes_out table_server_id table_sess_cnt table_sess_rate table_trackers ungrpc unset-var
  url_dec url_enc url_param urlp urlp_val us_ltime us_utime utime uuid var when word wt6 xor xxh3 xxh32 xxh64
`
    .trim()
    .split(/\s+/),
);
