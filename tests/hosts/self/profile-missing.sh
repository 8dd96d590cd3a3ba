# what: nobody leaves a profile
# expect: FAIL no profile of sh
# profile: sh
true
